// What needs attention, first: in one namespace or in all, as a list or by groups. Filters are chips that say what they hide;
// the list is live and never jumps; what is done to the chosen can be done to everything that matches.
import { useEffect, useRef } from 'preact/hooks';
import { type Access, accessTo, useAccessToSome } from '../lib/access.ts';
import { useAlarm } from '../lib/alarm.ts';
import { columnsFrom } from '../lib/columns.ts';
import { type EventChoice, useEventChoice } from '../lib/event-choice.ts';
import { type EventDependents, useEventDependents } from '../lib/event-dependents.ts';
import { type EventFeed, useEvents } from '../lib/event-feed.ts';
import { type EventGroups, useEventGroups } from '../lib/event-groups.ts';
import { itemsOf, itemsOfGroups, withDependents } from '../lib/event-items.ts';
import { keysIn, namespaceOf } from '../lib/event-key.ts';
import { chipCounts, filterFrom } from '../lib/event-query.ts';
import { clockTime, plural } from '../lib/format.ts';
import { isUnattended } from '../lib/idle.ts';
import { findJobs } from '../lib/jobs.ts';
import { useShortcuts } from '../lib/keys.ts';
import { namespace as lastNamespace } from '../lib/namespaces.ts';
import { eventPath } from '../lib/resources.ts';
import { go, path, query } from '../lib/router.ts';
import { savedViews } from '../lib/saved-views.ts';
import { user } from '../lib/session.ts';
import { isFollowing } from '../lib/settings.ts';
import { useTitle } from '../lib/title.ts';
import { Problem, Refused } from '../parts/bits.tsx';
import { AlarmMenu } from './alarm-menu.tsx';
import { type EventActions, eventActions } from './event-actions.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventLines } from './event-lines.tsx';
import { EventsBulk, NewBar } from './events-bulk.tsx';
import { NothingHere } from './nothing-here.tsx';
import { ViewsMenu } from './views-menu.tsx';

const followEveryMs = 2_000;

/** `namespace`: empty for all. */
export const EventsPage = ({ namespace }: { namespace: string }) => {
  const filter = filterFrom(namespace, query.value, user.value);
  const isGrouped = filter.by !== '' && filter.group === undefined;
  const feed = useEvents(filter);
  const groups = useEventGroups(filter, feed.list);
  const { list } = feed;
  const dependents = useEventDependents(JSON.stringify(filter), list);
  const listed = isGrouped ? itemsOfGroups(groups) : itemsOf(list);
  const items = withDependents(listed, dependents.rows, keysIn(namespace));
  const choice = useEventChoice(filter, items, keysIn(namespace));
  const inAll = useAccessToSome(namespace === '' ? (feed.namespaces ?? [lastNamespace.value]) : []);
  const access = namespace === '' ? inAll : accessTo(namespace);
  const refresh = async (): Promise<void> => {
    await Promise.all([feed.refresh(), ...(isGrouped ? [groups.refresh()] : [])]);
  };
  const actions = eventActions({ filter, access, choice, total: list.total, refresh });
  const columns = columnsFrom(query.value.get('columns') ?? '', namespace === '');
  const isAnyChosen = choice.isWhole || choice.selected.length > 0;
  useEventKeys({ access, actions, choice, groups, dependents, refresh });
  useFollowing(() => list.waiting.size + list.gone.size > 0 && !isAnyChosen, refresh);
  useEffect(() => {
    if (namespace !== '' && access.may('list', 'events')) void findJobs(namespace, () => void feed.refresh());
  }, [namespace]);
  useAlarm(JSON.stringify(filter), list, feed.isLoaded);
  const name = useViewTitle(feed);
  if (namespace !== '' && !access.may('list', 'events'))
    return (
      <Refused what={`see the events of ${namespace}`} hint="Ask for a role that may list events there." />
    );
  const isReady = isGrouped ? groups.isLoaded : feed.isLoaded;
  const problem = feed.problem ?? (isGrouped ? groups.problem : undefined);

  return (
    <>
      <Head name={name} feed={feed} />
      <EventFilters filter={filter} counts={list.counts} columns={columns} />
      {feed.isLoaded && !feed.isLive && feed.staleSinceMs !== undefined && (
        <p class="stale-bar" role="status">
          Not live. The rows are as they were at {clockTime(feed.staleSinceMs)}; the page tries again every
          second.
        </p>
      )}
      <EventsBulk
        access={access}
        actions={actions}
        choice={choice}
        list={list}
        items={items}
        isLoaded={feed.isLoaded}
        groups={isGrouped ? groups : undefined}
      />
      {list.waiting.size > 0 && <NewBar statuses={[...list.waiting.values()]} onShow={refresh} />}
      {problem !== undefined && (
        <Problem text={items.length > 0 ? `${problem} What is shown is old.` : problem} again={feed.reload} />
      )}
      {items.length > 0 && (
        <EventLines
          filter={filter}
          items={items}
          total={isGrouped ? items.length : Math.max(items.length, list.total)}
          columns={columns}
          choice={choice}
          onNearEnd={isGrouped ? () => undefined : feed.more}
          onFold={groups.fold}
          dependents={dependents}
        />
      )}
      {isGrouped && groups.total > groups.groups.length && (
        <p class="dim">
          {groups.groups.length} of {plural(groups.total, 'group')} are listed, the worst ones. Search or
          filter to see the others.
        </p>
      )}
      {!isReady && problem === undefined && <p class="loading">Loading events…</p>}
      {isReady && items.length === 0 && problem === undefined && (
        <NothingHere filter={filter} access={access} counts={list.counts} isLive={feed.isLive} />
      )}
    </>
  );
};

/** The name of the saved view, should this be one; told by the tab with how many need attention. */
const useViewTitle = ({ list }: EventFeed): string => {
  const here = path.value + (query.value.size === 0 ? '' : `?${query.value}`);
  const name = savedViews.value.find(({ to }) => to === here)?.name ?? 'Events';
  useTitle(name, list.counts === undefined ? 0 : chipCounts(list.counts).attention);
  return name;
};

const Head = ({ name, feed }: { name: string; feed: EventFeed }) => (
  <header class="page-head">
    <h1 tabIndex={-1}>
      <bdi>{name}</bdi>
    </h1>
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
      <AlarmMenu />
      <ViewsMenu />
    </div>
  </header>
);

/** While nobody is at the page it keeps up by itself. */
const useFollowing = (hasNews: () => boolean, refresh: () => Promise<void>): void => {
  const follow = useRef(() => {});
  follow.current = () => {
    if (isFollowing.value === 'on' && hasNews() && isUnattended()) void refresh();
  };
  useEffect(() => {
    const timer = setInterval(() => follow.current(), followEveryMs);
    return () => clearInterval(timer);
  }, []);
};

interface Keys {
  readonly access: Access;
  readonly actions: EventActions;
  readonly choice: EventChoice;
  readonly groups: EventGroups;
  readonly dependents: EventDependents;
  readonly refresh: () => Promise<void>;
}

const useEventKeys = ({ access, actions, choice, groups, dependents, refresh }: Keys): void => {
  const select = (): void => {
    const at = choice.itemAtCursor();
    if (at?.type === 'event') choice.toggle(at.event);
    if (at?.type !== 'group') return;
    const rows = groups.rowsOf(at.group.name);
    if (rows === undefined) groups.fold(at.group.name);
    else if (rows !== 'loading') for (const row of rows.rows.values()) choice.toggle(row);
  };
  const open = (): void => {
    const at = choice.itemAtCursor();
    if (at?.type === 'event') go(eventPath(namespaceOf(at.event), at.event));
    else if (at !== undefined) groups.fold(at.group.name);
  };
  const unfold = (): void => {
    const at = choice.itemAtCursor();
    if (at?.type === 'event' && at.event.check.masks > 0) dependents.fold(at.event);
  };
  useShortcuts([
    { keys: 'j', what: 'Next event', run: () => choice.move(1) },
    { keys: 'k', what: 'Previous event', run: () => choice.move(-1) },
    { keys: 'x', what: 'Select', run: select },
    { keys: 'Enter', what: 'Open; fold or unfold a group', run: open },
    { keys: 'd', what: 'Fold or unfold what depends on it', run: unfold },
    { keys: 'n', what: 'Show what is new', run: () => void refresh() },
    ...(access.may('create', 'silenced')
      ? [{ keys: 's', what: 'Silence', run: () => void actions.silence() }]
      : []),
    ...(actions.mayRun ? [{ keys: 'r', what: 'Run again', run: () => void actions.rerun() }] : []),
    ...(access.may('update', 'events')
      ? [
          { keys: 'o', what: 'Acknowledge: take care of it', run: () => void actions.acknowledge() },
          { keys: 'a', what: 'Resolve (10 s to undo)', run: () => void actions.resolve() },
        ]
      : []),
  ]);
};
