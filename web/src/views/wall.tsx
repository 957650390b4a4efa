// A wallboard: large, always up to date, one view after the other, read from the other end of the room. Nothing on it can be
// pressed but the keys that turn the views.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { EventCounts } from '../../../src/http/inspect/events/protocol.ts';
import { wallKey } from '../hub/wall-key.ts';
import { useAlarm } from '../lib/alarm.ts';
import { nowByTheSecond } from '../lib/clock.ts';
import { type EventFeed, useEvents } from '../lib/event-feed.ts';
import { useEventGroups } from '../lib/event-groups.ts';
import { type EventItem, groupTitle, itemsOf, itemsOfGroups } from '../lib/event-items.ts';
import { namespaceOf } from '../lib/event-key.ts';
import { chipCounts, type EventFilter, filterFrom } from '../lib/event-query.ts';
import { clockTime, duration, firstLine } from '../lib/format.ts';
import { useShortcuts } from '../lib/keys.ts';
import { readOutput } from '../lib/output-text.ts';
import { go, match, path, query } from '../lib/router.ts';
import type { SavedView } from '../lib/saved-views.ts';
import { user } from '../lib/session.ts';
import { useTitle } from '../lib/title.ts';
import { secondsAView, viewsOfWall } from '../lib/wall.ts';
import { StatusIcon } from '../parts/status.tsx';

const keepUpMs = 1_000;

/** The screen stays on, where the browser allows it. */
const useWakefulness = (): void => {
  useEffect(() => {
    const wake = (): void => {
      if (document.visibilityState === 'visible')
        (navigator as Partial<Navigator>).wakeLock?.request('screen').catch(() => undefined);
    };
    wake();
    document.addEventListener('visibilitychange', wake);
    return () => document.removeEventListener('visibilitychange', wake);
  }, []);
};

export const Wall = () => {
  const views = viewsOfWall(path.value, query.value);
  const index = useSignal(0);
  const isPaused = useSignal(false);
  const turn = (by: number): void => {
    index.value = (index.value + by + views.length) % views.length;
  };
  const seconds = secondsAView(query.value);
  useEffect(() => {
    if (views.length < 2 || isPaused.value) return;
    const timer = setTimeout(() => turn(1), seconds * 1_000);
    return () => clearTimeout(timer);
  }, [index.value, isPaused.value, views.length, seconds]);
  const view = views[index.value % views.length] as SavedView;
  useShortcuts([
    { keys: 'ArrowRight', what: 'Next view', run: () => turn(1) },
    { keys: 'ArrowLeft', what: 'View before', run: () => turn(-1) },
    {
      keys: ' ',
      what: 'Stay at this view',
      run: () => {
        isPaused.value = !isPaused.value;
      },
    },
    // With a key there is nothing behind the wall.
    ...(wallKey === undefined ? [{ keys: 'Escape', what: 'Leave the wall', run: () => go(view.to) }] : []),
  ]);
  useWakefulness();
  const place =
    views.length < 2 ? '' : `${index.value + 1} of ${views.length}${isPaused.value ? ', paused' : ''}`;
  return <WallView key={view.to} view={view} place={place} />;
};

const filterOf = ({ to }: SavedView): EventFilter => {
  const [where = '', text = ''] = to.split('?');
  const namespace = match('/n/:namespace/events', where)?.['namespace'] ?? '';
  return filterFrom(namespace, new URLSearchParams(text), user.value);
};

const WallView = ({ view, place }: { view: SavedView; place: string }) => {
  const filter = filterOf(view);
  const isGrouped = filter.by !== '' && filter.group === undefined;
  const feed = useEvents(filter);
  const groups = useEventGroups(filter, feed.list);
  const items = isGrouped ? itemsOfGroups(groups) : itemsOf(feed.list);
  useKeepingUp(feed);
  useAlarm(JSON.stringify(filter), feed.list, feed.isLoaded);
  const { counts } = feed.list;
  const name = view.name || (filter.namespace === '' ? 'All namespaces' : filter.namespace);
  useTitle(name, counts === undefined ? 0 : chipCounts(counts).attention);
  const isReady = isGrouped ? groups.isLoaded : feed.isLoaded;
  return (
    <main class="wall" id="main" tabIndex={-1}>
      <header>
        <h1>
          <bdi>{name}</bdi> <span class="dim">{place}</span>
        </h1>
        {counts !== undefined && <Totals counts={counts} />}
        <time class="num">{clockTime(nowByTheSecond.value)}</time>
      </header>
      {!feed.isLive && (feed.isLoaded || feed.problem !== undefined) && (
        <p class="wall-stale" role="alert">
          Not live{feed.staleSinceMs !== undefined && ` since ${clockTime(feed.staleSinceMs)}`}.{' '}
          {feed.problem}
        </p>
      )}
      {isReady && items.length === 0 && (
        <div class="wall-quiet">
          <StatusIcon status={0} size={120} />
          <p>Nothing here needs attention.</p>
        </div>
      )}
      <Lines filter={filter} items={items} total={isGrouped ? groups.total : feed.list.total} />
    </main>
  );
};

/** Nobody clicks here: the list may move at any time. */
const useKeepingUp = ({ list, refresh }: EventFeed): void => {
  const isNews = list.waiting.size + list.gone.size > 0;
  useEffect(() => {
    if (!isNews) return;
    const timer = setTimeout(() => void refresh(), keepUpMs);
    return () => clearTimeout(timer);
  }, [list]);
};

const totals = [
  ['critical', 2],
  ['warning', 1],
  ['unknown', 3],
  ['passing', 0],
] as const;

const Totals = ({ counts: { all, silenced } }: { counts: EventCounts }) => (
  <dl class="wall-totals">
    {totals.map(([severity, status]) => (
      <div key={severity} class={severity}>
        <dt>
          <StatusIcon status={status} size={22} /> {severity}
        </dt>
        <dd class="num">{(all[severity] - silenced[severity]).toLocaleString('en')}</dd>
      </div>
    ))}
  </dl>
);

interface LinesProps {
  readonly filter: EventFilter;
  readonly items: readonly EventItem[];
  readonly total: number;
}

/** As many as there is room for: nobody scrolls a wall. */
const Lines = ({ filter, items, total }: LinesProps) => {
  const holder = useRef<HTMLUListElement>(null);
  const room = useSignal(1);
  const measure = (): void => {
    const list = holder.current;
    const height = list?.querySelector('li')?.getBoundingClientRect().height ?? 0;
    if (list === null || height === 0) return;
    const free = innerHeight - list.getBoundingClientRect().top - height;
    room.value = Math.max(1, Math.floor(free / height));
  };
  useLayoutEffect(measure);
  useEffect(() => {
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const shown = items.slice(0, room.value);
  const hidden = Math.max(items.length, total) - shown.length;
  return (
    <>
      <ul ref={holder} class="wall-lines">
        {shown.map((item) => (
          <WallLine key={item.line} filter={filter} item={item} />
        ))}
      </ul>
      {hidden > 0 && shown.length > 0 && <p class="wall-more">and {hidden.toLocaleString('en')} more</p>}
    </>
  );
};

const WallLine = ({ filter, item }: { filter: EventFilter; item: EventItem }) => {
  const seconds = nowByTheSecond.value / 1000;
  if (item.type !== 'event') {
    const { counts, name, since } = item.group;
    const worst = totals.find(([severity]) => counts[severity] > 0)?.[1] ?? 0;
    return (
      <li>
        <StatusIcon status={worst} size={26} />
        <b>
          <bdi>{groupTitle(filter.by, name)}</bdi>
        </b>
        <span class="dim">
          {totals
            .filter(([severity]) => counts[severity] > 0)
            .map(([severity]) => `${counts[severity].toLocaleString('en')} ${severity}`)
            .join(', ')}
        </span>
        <span />
        <span class="num">{duration(seconds - since)}</span>
      </li>
    );
  }
  const { event } = item;
  const { check, entity } = event;
  return (
    <li>
      <StatusIcon status={check.status} size={26} />
      <b>
        <bdi>{check.metadata.name}</bdi>{' '}
        <bdi class="dim">
          {filter.namespace === '' && `${namespaceOf(event)} / `}
          {entity.metadata.name}
        </bdi>
      </b>
      <span class="dim">
        <bdi>{firstLine(readOutput(check.output).text)}</bdi>
      </span>
      <span class="tags">
        {check.acknowledgement !== null && <span class="tag owner">☑ {check.acknowledgement.owner}</span>}
        {check.state === 'flapping' && <span class="tag">flapping</span>}
      </span>
      <span class="num">{duration(seconds - event.since)}</span>
    </li>
  );
};
