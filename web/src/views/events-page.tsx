// What needs attention, first. Filters are chips that say what they hide; the list is live and never jumps; what is done
// to the chosen can be done to everything that fits.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { encode } from '../lib/api.ts';
import { readPage, useEvents } from '../lib/event-feed.ts';
import { keyOf } from '../lib/event-key.ts';
import { chipCounts, type EventFilter, filterFrom, isPlain } from '../lib/event-query.ts';
import { plural } from '../lib/format.ts';
import { useShortcuts } from '../lib/keys.ts';
import { attemptAll } from '../lib/notices.ts';
import { deleteEvent, eventPath, rerun, resolveEvent } from '../lib/resources.ts';
import { go, href, query } from '../lib/router.ts';
import { user } from '../lib/session.ts';
import { Problem } from '../parts/bits.tsx';
import { StatusIcon } from '../parts/status.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventLine } from './event-row.tsx';
import { silenceFor } from './silence-dialog.tsx';

/** What is chosen: some rows, or everything that fits, on the screen or not. */
type Choice = { readonly type: 'rows'; readonly keys: ReadonlySet<string> } | { readonly type: 'whole' };
const nothing: Choice = { type: 'rows', keys: new Set() };

/** At most so many are dealt with in one go. */
const mostAtOnce = 10_000;
const rowsAPage = 1_000;

const readWhole = async (filter: EventFilter): Promise<readonly EventRow[]> => {
  const rows: EventRow[] = [];
  let next: string | undefined;
  do {
    const page = await readPage(filter, rowsAPage, next);
    rows.push(...page.items);
    next = page.next;
  } while (next !== undefined && rows.length < mostAtOnce);
  return rows;
};

export const EventsPage = ({ namespace }: { namespace: string }) => {
  const filter = filterFrom(namespace, query.value);
  const feed = useEvents(filter);
  const choice = useSignal<Choice>(nothing);
  const cursor = useSignal(0);
  const { list } = feed;
  const shown = useRef(list.rows);
  shown.current = list.rows;
  const rows = [...list.rows.values()];
  const at = rows[Math.min(cursor.value, rows.length - 1)];
  const isWhole = choice.value.type === 'whole';
  const isChosen = (event: EventRow): boolean =>
    choice.value.type === 'whole' || choice.value.keys.has(keyOf(event));
  const selected = rows.filter(isChosen);
  const count = isWhole ? list.total : selected.length;
  const fitting = rows.length - list.gone.size;

  const choose = (keys: Iterable<string>): void => {
    choice.value = { type: 'rows', keys: new Set(keys) };
  };
  /** Called by rows that were drawn long ago: looks at what is chosen and shown now. */
  const toggle = (event: EventRow): void => {
    const keys = new Set(choice.value.type === 'rows' ? choice.value.keys : shown.current.keys());
    if (!keys.delete(keyOf(event))) keys.add(keyOf(event));
    choose(keys);
  };
  const move = (by: number): void => {
    cursor.value = Math.max(0, Math.min(rows.length - 1, cursor.value + by));
  };
  /** The chosen ones; without a choice the one the cursor is at. */
  const targets = async (): Promise<readonly EventRow[]> => {
    if (isWhole) return readWhole(filter);
    return selected.length > 0 || at === undefined ? selected : [at];
  };
  const forAll = async (what: string, ask: string, act: (event: EventRow) => Promise<unknown>) => {
    const many = await targets();
    const needsAsking = ask !== '' || many.length > rowsAPage / 10;
    if (many.length === 0) return;
    if (needsAsking && !confirm(`${what}: ${plural(many.length, 'event')}${ask}. Go on?`)) return;
    await attemptAll(what, many, keyOf, act);
    choice.value = nothing;
    feed.reload();
  };
  const resolveAll = () =>
    forAll('Resolved', '', (event) => resolveEvent(namespace, event, user.value ?? 'somebody'));
  const rerunAll = () =>
    forAll('Asked to run again:', '', ({ entity, check }) =>
      rerun(namespace, entity.metadata.name, check.metadata.name),
    );
  const deleteAll = () => forAll('Deleted', ', with their history', (event) => deleteEvent(namespace, event));
  const silenceAll = async (): Promise<void> => {
    silenceFor(namespace, await targets(), () => {
      choice.value = nothing;
      feed.reload();
    });
  };

  useShortcuts(
    [
      { keys: 'j', what: 'Next event', run: () => move(1) },
      { keys: 'k', what: 'Previous event', run: () => move(-1) },
      { keys: 'x', what: 'Select', run: () => at && toggle(at) },
      { keys: 'Enter', what: 'Open', run: () => at && go(eventPath(namespace, at)) },
      { keys: 's', what: 'Silence', run: () => void silenceAll() },
      { keys: 'r', what: 'Run again', run: () => void rerunAll() },
      { keys: 'a', what: 'Resolve', run: () => void resolveAll() },
    ],
    [list, choice.value, cursor.value],
  );
  useEffect(() => {
    cursor.value = 0;
    choice.value = nothing;
  }, [JSON.stringify(filter)]);
  useTitle(list.counts === undefined ? undefined : chipCounts(list.counts).attention);

  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
        {feed.isLoaded && (
          <span class={`live-dot ${feed.isLive ? 'on' : 'off'}`}>{feed.isLive ? 'live' : 'not live'}</span>
        )}
      </header>
      <EventFilters filter={filter} counts={list.counts} />
      <div class="bulk" data-some={count > 0}>
        <label>
          <input
            type="checkbox"
            checked={rows.length > 0 && selected.length === rows.length}
            onChange={(event) => choose(event.currentTarget.checked ? list.rows.keys() : [])}
          />
          {count > 0
            ? `${count.toLocaleString('en')} selected`
            : feed.isLoaded && plural(Math.max(fitting, list.total - list.gone.size), 'event')}
        </label>
        {!isWhole && selected.length === rows.length && list.next !== undefined && rows.length > 0 && (
          <button
            type="button"
            onClick={() => {
              choice.value = { type: 'whole' };
            }}
          >
            Select all {list.total.toLocaleString('en')} that fit
          </button>
        )}
        {count > 0 && (
          <>
            <button type="button" onClick={() => void resolveAll()}>
              Resolve
            </button>
            <button type="button" onClick={() => void rerunAll()}>
              Run again
            </button>
            <button type="button" onClick={() => void silenceAll()}>
              Silence…
            </button>
            <button type="button" class="danger" onClick={() => void deleteAll()}>
              Delete…
            </button>
          </>
        )}
        {list.waiting.size > 0 && (
          <button type="button" class="new-bar" onClick={feed.reload}>
            {list.waiting.size.toLocaleString('en')} new — show
          </button>
        )}
      </div>
      {feed.problem !== undefined && <Problem text={feed.problem} again={feed.reload} />}
      {rows.length > 0 && (
        <VirtualList
          class="events"
          items={rows}
          reveal={cursor.value}
          onNearEnd={feed.more}
          row={(event, index) => (
            <EventLine
              key={keyOf(event)}
              namespace={namespace}
              event={event}
              isGone={list.gone.has(keyOf(event))}
              isAt={index === cursor.value}
              isChosen={isChosen(event)}
              onToggle={() => toggle(event)}
            />
          )}
        />
      )}
      {feed.isLoaded && rows.length === 0 && <AllQuiet filter={filter} />}
    </>
  );
};

/** How many need attention can be read from the tab. */
const useTitle = (attention: number | undefined): void => {
  useEffect(() => {
    document.title = attention === undefined || attention === 0 ? 'mon' : `(${attention}) mon`;
    return () => {
      document.title = 'mon';
    };
  }, [attention]);
};

const AllQuiet = ({ filter }: { filter: EventFilter }) => (
  <div class="quiet-page">
    <StatusIcon status={0} size={34} />
    <p>{filter.show === 'attention' && isPlain(filter) ? 'Nothing needs attention.' : 'No event fits.'}</p>
    {(filter.show !== 'all' || !isPlain(filter)) && (
      <p class="dim">
        Passing and silenced events are hidden here.{' '}
        <a href={href(`/n/${encode(filter.namespace)}/events?show=all`)}>Show all</a>
      </p>
    )}
  </div>
);
