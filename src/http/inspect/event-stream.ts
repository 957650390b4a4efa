// One server-sent event stream to a browser, with frames in batches. A slow reader is told how many frames it lost,
// a stalled reader is disconnected; memory is bounded in both cases.
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { ActorId } from '../../actors/runtime/contract.ts';
import {
  batchMs,
  heartbeatMs,
  maxPendingFrames,
  maxStreamMs,
  maxUnreadBytes,
  stalledClientMs,
} from './limits.ts';
import type { Frame } from './protocol.ts';
import { view } from './view.ts';
import type { StreamItem, WatchHub } from './watch-hub.ts';

export interface StreamOptions {
  readonly actors: ReadonlySet<ActorId>;
  /** Includes context changes, for pages that show few actors. */
  readonly detail: boolean;
  /** The `Last-Event-ID` of a reconnecting client. */
  readonly lastEventId: string | undefined;
  /** For tests: disconnects a stalled client after this many milliseconds. */
  readonly stalledMs?: number;
}

/** The head of every answer that is a stream of server-sent events. */
export const streamHead = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // The connection closes with its stream, so that a stopping server need not wait for it.
  connection: 'close',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
} as const;

/** Uses the response until the client leaves or stalls, or the stream's time limit ends. */
export const openEventStream = (
  response: ServerResponse,
  hub: WatchHub,
  options: StreamOptions,
): (() => void) => {
  response.writeHead(200, streamHead);
  return writeFrames(response, hub, options);
};

/** The same into anything that is read. Returns what ends it. */
export const writeFrames = (response: Writable, hub: WatchHub, options: StreamOptions): (() => void) => {
  let pending: StreamItem[] = [];
  let dropped = 0;
  let batch: NodeJS.Timeout | undefined;
  let readAtMs = Date.now();
  const stalledMs = options.stalledMs ?? stalledClientMs;

  const send = (event: string, data: unknown, id?: number): void => {
    const head = id === undefined ? '' : `id: ${hub.epoch}.${id}\n`;
    response.write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };

  const isClogged = (): boolean => response.writableLength > maxUnreadBytes;

  const flush = (): void => {
    batch = undefined;
    if (isClogged()) {
      wait();
      return;
    }
    readAtMs = Date.now();
    if (dropped > 0) send('lagged', { dropped });
    dropped = 0;
    const last = pending.at(-1);
    if (last === undefined) return;
    const sent = pending;
    pending = [];
    sendItems(sent, last.seq);
  };

  const sendItems = (items: readonly StreamItem[], lastSeq: number): void => {
    const facts = items.flatMap((item) => (item.kind === 'lifecycle' ? [view(item.fact)] : []));
    const frames = items.flatMap((item): Frame[] =>
      item.kind === 'transition' ? [item.seen.frame(options.detail)] : [],
    );
    if (facts.length > 0) send('lifecycle', facts, frames.length === 0 ? lastSeq : undefined);
    if (frames.length > 0) send('transitions', frames, lastSeq);
  };

  const wait = (): void => {
    if (Date.now() - readAtMs > stalledMs) close(true);
    else batch ??= setTimeout(flush, batchMs);
  };

  const take = (item: StreamItem): void => {
    if (pending.length >= maxPendingFrames) {
      pending.shift();
      dropped += 1;
    }
    pending.push(item);
    batch ??= setTimeout(flush, batchMs);
  };

  const beat = setInterval(() => {
    if (!isClogged()) response.write(': still here\n\n');
    else if (Date.now() - readAtMs > stalledMs) close(true);
  }, heartbeatMs);
  const end = setTimeout(() => close(false), maxStreamMs);
  const unfollow = hub.follow(options.actors, take);

  let isClosed = false;
  const close = (cut: boolean): void => {
    if (isClosed) return;
    isClosed = true;
    unfollow();
    clearInterval(beat);
    clearTimeout(end);
    clearTimeout(batch);
    if (cut) response.destroy();
    else response.end();
  };

  response.on('close', () => close(false));
  // A reconnecting client keeps its position until it has received what it missed.
  const place = options.lastEventId === undefined ? hub.lastSeq() : undefined;
  send('hello', { epoch: hub.epoch, actors: options.actors.size }, place);
  resume(hub, options, take, (missed) => send('lagged', { dropped: missed }));
  return () => close(false);
};

/** Sends a reconnecting client what it missed, or reports that this is not possible. */
const resume = (
  hub: WatchHub,
  { actors, lastEventId }: StreamOptions,
  take: (item: StreamItem) => void,
  lagged: (dropped: number | null) => void,
): void => {
  if (lastEventId === undefined) return;
  const [epoch, seq] = lastEventId.split('.');
  if (epoch !== hub.epoch || !/^\d+$/.test(seq ?? '')) {
    lagged(null);
    return;
  }
  const { items, gap } = hub.since(Number(seq));
  if (gap) lagged(null);
  for (const item of items) {
    const actor = item.kind === 'transition' ? item.seen.actor : item.fact.actor;
    if (actors.has(actor)) take(item);
  }
};
