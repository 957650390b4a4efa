// Streams changes of an event list as server-sent events. The reader sets the pace: changes are not queued for it
// but looked up when it is ready, so a slow or stalled reader costs one message of memory.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventEntry } from '../../../actors/events/event-entry.ts';
import type { EventIndex, Marks } from '../../../actors/events/event-index.ts';
import { isInScope, nameIn } from '../../../actors/events/event-scope.ts';
import { type EventFilter, isNarrowed, ranksOf, testOf } from '../../../actors/events/event-search.ts';
import { feedTickMs, heartbeatMs, maxFeedRows, maxStreamMs, stalledClientMs } from '../limits.ts';
import { type RerunOf, rowOf } from './event-row.ts';
import type { EventChanges, WhyGone } from './protocol.ts';

export interface FeedOptions {
  readonly index: EventIndex;
  /** Differs for every process; sequence numbers are only comparable within an epoch. */
  readonly epoch: string;
  readonly filter: EventFilter;
  readonly rerunOf: RerunOf;
  /** The last `epoch.sequence` the reader has seen; absent for a new reader. */
  readonly lastEventId: string | undefined;
  /** For tests, like the next one. */
  readonly stalledMs?: number;
  readonly tickMs?: number;
}

/** Ends after `maxStreamMs`, or when destroyed. A reader that takes nothing for `stalledMs` is disconnected. */
export const openEventFeed = (options: FeedOptions): Readable => {
  const { stalledMs = stalledClientMs } = options;
  const leave = new AbortController();
  const messages = tell(options, leave.signal);
  let offeredAtMs = Number.POSITIVE_INFINITY;
  const feed = new Readable({
    encoding: 'utf8',
    // One message at a time; the next is created when this one was read.
    highWaterMark: 1,
    read() {
      offeredAtMs = Number.POSITIVE_INFINITY;
      messages.next().then(
        ({ value }) => {
          offeredAtMs = performance.now();
          if (!feed.destroyed) feed.push(value ?? null);
        },
        (error: Error) => feed.destroy(error),
      );
    },
    destroy(error, done) {
      leave.abort();
      clearInterval(watch);
      done(error);
    },
  });
  const watch = setInterval(() => {
    if (performance.now() - offeredAtMs > stalledMs) feed.destroy();
  }, stalledMs / 4);
  return feed;
};

async function* tell(options: FeedOptions, left: AbortSignal): AsyncGenerator<string, undefined> {
  const { index, epoch, filter, rerunOf, lastEventId, tickMs = feedTickMs } = options;
  const endMs = performance.now() + maxStreamMs;
  const known = seqIn(options);
  let seq = known ?? index.seq;
  const atFirst = index.counts(filter);
  let counts = JSON.stringify(isNarrowed(filter) ? '' : atFirst);
  let spokeMs = performance.now();
  const message = (event: string, data: object): string => {
    spokeMs = performance.now();
    return `id: ${epoch}.${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  };
  yield message('hello', { epoch, counts: atFirst });
  if (known === undefined && lastEventId !== undefined) yield message('lagged', {});
  while (performance.now() < endMs) {
    const found = index.seq === seq ? undefined : changesSince(index, filter, seq, rerunOf);
    seq = index.seq;
    if (found === 'tooMany') yield message('lagged', {});
    else if (found !== undefined) {
      const now = JSON.stringify(found.counts ?? '');
      const isNews = found.rows.length + found.gone.length > 0 || now !== counts;
      counts = now;
      if (isNews) yield message('changes', found);
    }
    if (performance.now() - spokeMs > heartbeatMs) {
      spokeMs = performance.now();
      yield ': still here\n\n';
    }
    await pause(tickMs, undefined, { signal: left }).catch(() => {});
    if (left.aborted) return undefined;
  }
  return undefined;
}

/** Undefined for a new reader or another process. */
const seqIn = ({ lastEventId, epoch, index }: FeedOptions): number | undefined => {
  const [of, text] = lastEventId?.split('.') ?? [];
  const seq = Number(text);
  return of === epoch && Number.isSafeInteger(seq) && seq >= 0 && seq <= index.seq ? seq : undefined;
};

/** `tooMany`: reloading the list is cheaper than sending all changes, or the changes are no longer known. */
export const changesSince = (
  index: EventIndex,
  filter: EventFilter,
  seq: number,
  rerunOf: RerunOf,
): EventChanges | 'tooMany' => {
  const changes = index.changesAfter(seq);
  if (changes === undefined) return 'tooMany';
  const ranks = ranksOf(filter);
  const fits = testOf(filter);
  const first = new Map(
    changes
      .filter(({ key }) => isInScope(filter, key.slice(0, key.indexOf('/'))))
      .reverse()
      .map(({ key, before }) => [key, before]),
  );
  const rows: EventChanges['rows'][number][] = [];
  const gone: string[] = [];
  const why: Record<string, WhyGone> = {};
  for (const [key, before] of first) {
    const entry = index.get(key);
    if (entry !== undefined && fits(entry)) rows.push(rowOf(entry, rerunOf));
    else if (before !== undefined && mayHaveFitted(filter, ranks, before)) {
      gone.push(nameIn(filter, key));
      why[nameIn(filter, key)] = whyGone(filter, entry);
    }
    if (rows.length + gone.length > maxFeedRows) return 'tooMany';
  }
  const counts = isNarrowed(filter) ? {} : { counts: index.counts(filter) };
  return { ...counts, rows, gone, why };
};

const whyGone = ({ acknowledged }: EventFilter, entry: EventEntry | undefined): WhyGone => {
  if (entry === undefined) return 'deleted';
  if (entry.event.check.status === 0) return 'passing';
  if (entry.silenced.length > 0) return 'silenced';
  if (entry.masked.length > 0) return 'masked';
  return acknowledged === false && entry.event.check.acknowledgement ? 'acknowledged' : 'other';
};

/** A client that does not have the row ignores its removal. */
const mayHaveFitted = ({ silenced, masked }: EventFilter, ranks: readonly number[], before: Marks): boolean =>
  ranks.includes(before.rank) &&
  (silenced === undefined || before.silenced === silenced) &&
  (masked === undefined || before.masked === masked);
