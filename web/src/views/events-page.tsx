// What needs attention, first. Filters are chips that say what they hide; the list is live and never jumps; what is done
// to the chosen can be done to everything that fits.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EventCounts, EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { type Access, accessTo } from '../lib/access.ts';
import { encode } from '../lib/api.ts';
import { readPage, useEvents } from '../lib/event-feed.ts';
import { keyOf } from '../lib/event-key.ts';
import { chipCounts, type EventFilter, filterFrom, isPlain, questionOf } from '../lib/event-query.ts';
import { clockTime, plural } from '../lib/format.ts';
import { isUnattended } from '../lib/idle.ts';
import { findJobs, startJob } from '../lib/jobs.ts';
import { useShortcuts } from '../lib/keys.ts';
import { attemptAll, notify } from '../lib/notices.ts';
import { deleteEvent, eventPath, isRunnable, rerun, resolveEvent, whyNotRun } from '../lib/resources.ts';
import { go, href, query, setQuery } from '../lib/router.ts';
import { user } from '../lib/session.ts';
import { isFollowing } from '../lib/settings.ts';
import { useSilentAgents } from '../lib/silent-agents.ts';
import { doLater, isWaiting } from '../lib/undo.ts';
import { Problem, Refused } from '../parts/bits.tsx';
import { StatusIcon } from '../parts/status.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { acknowledgeFor } from './acknowledge-dialog.tsx';
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

/** Where the cursor stands: at a row, and where that was, should it go away. */
interface Cursor {
  readonly key: string;
  readonly index: number;
}

const followEveryMs = 2_000;

export const EventsPage = ({ namespace }: { namespace: string }) => {
  const filter = filterFrom(namespace, query.value, user.value);
  const feed = useEvents(filter);
  const choice = useSignal<Choice>(nothing);
  const cursor = useSignal<Cursor>({ key: '', index: 0 });
  const { list } = feed;
  const access = accessTo(namespace);
  const silent = useSilentAgents(namespace);
  const shown = useRef(list);
  shown.current = list;
  const rows = [...list.rows.values()];
  /** As it is when a key is pressed, drawn or not. */
  const cursorIndex = (): number => {
    const keys = [...shown.current.rows.keys()];
    const { key, index } = cursor.peek();
    const found = keys.indexOf(key);
    return found >= 0 ? found : Math.max(0, Math.min(index, keys.length - 1));
  };
  const rowAtCursor = (): EventRow | undefined => [...shown.current.rows.values()][cursorIndex()];
  void cursor.value;
  const atIndex = cursorIndex();
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
    const keys = new Set(choice.value.type === 'rows' ? choice.value.keys : shown.current.rows.keys());
    if (!keys.delete(keyOf(event))) keys.add(keyOf(event));
    choose(keys);
  };
  const move = (by: number): void => {
    const keys = [...shown.current.rows.keys()];
    const index = Math.max(0, Math.min(keys.length - 1, cursorIndex() + by));
    cursor.value = { key: keys[index] ?? '', index };
  };
  /** The chosen ones; without a choice the one the cursor is at. */
  const targets = async (): Promise<readonly EventRow[]> => {
    const now = choice.peek();
    if (now.type === 'whole') return readWhole(filter);
    const chosen = [...shown.current.rows.values()].filter((row) => now.keys.has(keyOf(row)));
    const at = rowAtCursor();
    return chosen.length > 0 || at === undefined ? chosen : [at];
  };
  const forAll = async (
    what: string,
    many: readonly EventRow[],
    ask: string,
    act: (event: EventRow) => Promise<unknown>,
  ) => {
    const needsAsking = ask !== '' || many.length > rowsAPage / 10;
    if (many.length === 0) return;
    if (needsAsking && !confirm(`${what}: ${plural(many.length, 'event')}${ask}. Go on?`)) return;
    await attemptAll(what, many, keyOf, act);
    choice.value = nothing;
    await feed.refresh();
  };
  const isAllChosen = (): boolean => choice.peek().type === 'whole';
  /** Everything that matches is the affair of the backend. */
  const doWhole = async (action: 'resolve' | 'rerun' | 'delete'): Promise<void> => {
    const question = questionOf(filter);
    choice.value = nothing;
    await startJob(namespace, { action, question }, () => void feed.refresh());
  };
  /** Handlers hear of it at once, so it waits for as long as it can be taken back. */
  const resolveAll = async (): Promise<void> => {
    if (!access.may('update', 'events')) return;
    if (isAllChosen()) return doWhole('resolve');
    const many = (await targets()).filter((row) => row.check.status !== 0 && !isWaiting(keyOf(row)));
    const [only] = many;
    if (only === undefined)
      return void notify('failed', 'Nothing to resolve: it passes, or is being resolved.');
    const by = user.value ?? 'somebody';
    const what = many.length === 1 ? keyOf(only) : plural(many.length, 'event');
    doLater(
      `Resolving ${what}`,
      many.map(keyOf),
      () =>
        void attemptAll('Resolved', many, keyOf, (event) => resolveEvent(namespace, event, by)).then(
          feed.refresh,
        ),
    );
    choice.value = nothing;
  };
  const rerunAll = async (): Promise<void> => {
    if (isAllChosen()) return doWhole('rerun');
    const many = await targets();
    const runnable = many.filter(isRunnable);
    const [first] = many;
    if (first !== undefined && runnable.length === 0)
      return void notify('failed', `${keyOf(first)} can't be run again: ${whyNotRun(first)}`);
    await forAll('Asked to run again:', runnable, '', (row) => rerun(namespace, row));
    const left = many.length - runnable.length;
    if (left > 0) notify('failed', `${plural(left, 'event')} can't be run again from here.`);
  };
  const deleteAll = async (): Promise<void> => {
    if (!isAllChosen())
      return forAll('Deleted', await targets(), ', with their history', (event) =>
        deleteEvent(namespace, event),
      );
    if (confirm(`Delete ${plural(list.total, 'event')}, with their history? It begins in 10 s.`))
      await doWhole('delete');
  };
  const silenceAll = async (): Promise<void> => {
    if (!access.may('create', 'silenced')) return;
    silenceFor(namespace, await targets(), () => {
      choice.value = nothing;
      void feed.refresh();
    });
  };
  const acknowledgeAll = async (): Promise<void> => {
    if (!access.may('update', 'events')) return;
    const many = (await targets()).filter((row) => row.check.state !== 'passing');
    if (many.length === 0) return void notify('failed', 'Nothing to acknowledge: it passes.');
    acknowledgeFor(namespace, many, () => {
      choice.value = nothing;
      void feed.refresh();
    });
  };
  const open = (): void => {
    const at = rowAtCursor();
    if (at !== undefined) go(eventPath(namespace, at));
  };
  const mayRun = access.may('create', 'checks');
  const isAnyRunnable = (count === 0 ? [rows[atIndex]] : isWhole ? rows : selected).some(
    (row) => row !== undefined && isRunnable(row),
  );

  useShortcuts([
    { keys: 'j', what: 'Next event', run: () => move(1) },
    { keys: 'k', what: 'Previous event', run: () => move(-1) },
    {
      keys: 'x',
      what: 'Select',
      run: () => {
        const at = rowAtCursor();
        if (at !== undefined) toggle(at);
      },
    },
    { keys: 'Enter', what: 'Open', run: open },
    { keys: 'n', what: 'Show what is new', run: () => void feed.refresh() },
    ...(access.may('create', 'silenced')
      ? [{ keys: 's', what: 'Silence', run: () => void silenceAll() }]
      : []),
    ...(mayRun ? [{ keys: 'r', what: 'Run again', run: () => void rerunAll() }] : []),
    ...(access.may('update', 'events')
      ? [
          { keys: 'o', what: 'Acknowledge: take care of it', run: () => void acknowledgeAll() },
          { keys: 'a', what: 'Resolve (10 s to undo)', run: () => void resolveAll() },
        ]
      : []),
  ]);
  useEffect(() => {
    cursor.value = { key: '', index: 0 };
    choice.value = nothing;
  }, [JSON.stringify(filter)]);
  const follow = useRef(() => {});
  follow.current = () => {
    const hasNews = shown.current.waiting.size + shown.current.gone.size > 0;
    if (isFollowing.value === 'on' && hasNews && count === 0 && isUnattended()) void feed.refresh();
  };
  useEffect(() => {
    if (access.may('list', 'events')) void findJobs(namespace, () => void feed.refresh());
  }, [namespace]);
  useEffect(() => {
    const timer = setInterval(() => follow.current(), followEveryMs);
    return () => clearInterval(timer);
  }, []);
  useTitle(list.counts === undefined ? undefined : chipCounts(list.counts).attention);
  if (!access.may('list', 'events'))
    return (
      <Refused what={`see the events of ${namespace}`} hint="Ask for a role that may list events there." />
    );

  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>Events</h1>
        <div class="row">
          {feed.isLoaded && (
            <span class={`live-dot ${feed.isLive ? 'on' : 'off'}`}>{feed.isLive ? 'live' : 'not live'}</span>
          )}
          <label
            class="follow"
            title="While nobody touches the page, what is new shows up and what is gone goes away by itself"
          >
            <input
              type="checkbox"
              checked={isFollowing.value === 'on'}
              onChange={(event) => {
                isFollowing.value = event.currentTarget.checked ? 'on' : 'off';
              }}
            />{' '}
            follow
          </label>
        </div>
      </header>
      <EventFilters filter={filter} counts={list.counts} />
      {feed.isLoaded && !feed.isLive && feed.staleSinceMs !== undefined && (
        <p class="stale-bar" role="status">
          Not live. The rows are as they were at {clockTime(feed.staleSinceMs)}; the page tries again every
          second.
        </p>
      )}
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
            Select all {list.total.toLocaleString('en')} that match
          </button>
        )}
        {count > 0 && (
          <>
            {access.may('update', 'events') && (
              <>
                <button type="button" onClick={() => void acknowledgeAll()}>
                  Acknowledge…
                </button>
                <button type="button" onClick={() => void resolveAll()}>
                  Resolve
                </button>
              </>
            )}
            {mayRun && (
              <button
                type="button"
                disabled={!isAnyRunnable}
                title={isAnyRunnable ? 'r' : 'None of them can be run again from here'}
                onClick={() => void rerunAll()}
              >
                Run again
              </button>
            )}
            {access.may('create', 'silenced') && (
              <button type="button" onClick={() => void silenceAll()}>
                Silence…
              </button>
            )}
            {access.may('delete', 'events') && (
              <button type="button" class="danger" onClick={() => void deleteAll()}>
                Delete…
              </button>
            )}
          </>
        )}
      </div>
      {list.waiting.size > 0 && <NewBar statuses={[...list.waiting.values()]} onShow={feed.refresh} />}
      {feed.problem !== undefined && (
        <Problem
          text={rows.length > 0 ? `${feed.problem} What is shown is old.` : feed.problem}
          again={feed.reload}
        />
      )}
      {rows.length > 0 && (
        <VirtualList
          class="events"
          items={rows}
          total={Math.max(rows.length, list.total)}
          reveal={atIndex}
          onNearEnd={feed.more}
          row={(event, index) => (
            <EventLine
              key={keyOf(event)}
              namespace={namespace}
              event={event}
              gone={list.gone.get(keyOf(event))}
              silentSince={silent.since(event)}
              isResolving={isWaiting(keyOf(event))}
              isAt={index === atIndex}
              isChosen={isChosen(event)}
              onToggle={() => toggle(event)}
            />
          )}
        />
      )}
      {!feed.isLoaded && feed.problem === undefined && <p class="loading">Loading events…</p>}
      {feed.isLoaded && rows.length === 0 && feed.problem === undefined && (
        <NothingHere filter={filter} access={access} hasAny={hasAny(list.counts)} isLive={feed.isLive} />
      )}
    </>
  );
};

const hasAny = (counts: EventCounts | undefined): boolean =>
  counts !== undefined && Object.values(counts.all).some((each) => each > 0);

const NewBar = ({ statuses, onShow }: { statuses: readonly number[]; onShow: () => Promise<void> }) => {
  const critical = statuses.filter((status) => status === 2).length;
  return (
    <button type="button" class={`new-bar ${critical > 0 ? 'critical' : ''}`} onClick={() => void onShow()}>
      {statuses.length.toLocaleString('en')} new
      {critical > 0 && `, ${critical.toLocaleString('en')} critical`} — show <kbd>n</kbd>
    </button>
  );
};

/** How many need attention can be read from the tab. */
const useTitle = (attention: number | undefined): void => {
  useEffect(() => {
    document.title =
      attention === undefined || attention === 0 ? 'Events · mon' : `(${attention}) Events · mon`;
  }, [attention]);
};

interface NothingProps {
  readonly filter: EventFilter;
  readonly access: Access;
  readonly hasAny: boolean;
  readonly isLive: boolean;
}

/** Green is only what was looked at and is well. */
const NothingHere = ({ filter, access, hasAny: isSomethingThere, isLive }: NothingProps) => {
  const showAll = <a href={href(`/n/${encode(filter.namespace)}/events?show=all`)}>Show all events</a>;
  if (!isPlain(filter))
    return (
      <Nothing title="No event matches.">
        {isSomethingThere
          ? 'What matches the search is hidden by the chip above: '
          : 'Nothing in this namespace does, whatever the chips. '}
        {isSomethingThere && (
          <>
            <button type="button" onClick={() => setQuery({ show: 'all', severity: '' })}>
              Show passing and silenced ones too
            </button>{' '}
          </>
        )}
        <button
          type="button"
          onClick={() =>
            setQuery({ search: '', severity: '', owned: '', entity: '', check: '', labels: '', fields: '' })
          }
        >
          Take the filters off
        </button>
      </Nothing>
    );
  if (!isSomethingThere)
    return (
      <Nothing title="No events yet.">
        No agent has reported in {filter.namespace}, and nothing was posted there.{' '}
        {access.may('list', 'checks') && (
          <a href={href(`/n/${encode(filter.namespace)}/config/checks`)}>Look at its checks</a>
        )}
      </Nothing>
    );
  if (filter.show !== 'attention') return <Nothing title="No event here.">{showAll}</Nothing>;
  return (
    <div class="quiet-page">
      <StatusIcon status={0} size={34} />
      <p>Nothing needs attention.</p>
      <p class="dim">
        {isLive
          ? 'Passing and silenced events are hidden here. '
          : 'That was so when the backend was last heard. '}
        {showAll}
      </p>
    </div>
  );
};

const Nothing = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="quiet-page">
    <p>{title}</p>
    <p class="dim">{children}</p>
  </div>
);
