// What needs attention, first. Filters are chips that say what they hide; the list is live and never jumps.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { encode } from '../lib/api.ts';
import { useEvents } from '../lib/event-feed.ts';
import { keyOf } from '../lib/event-key.ts';
import type { EventFilter, ShownEvent, Sort } from '../lib/event-list.ts';
import { firstLine, plural } from '../lib/format.ts';
import { useShortcuts } from '../lib/keys.ts';
import { attempt } from '../lib/notices.ts';
import { deleteEvent, eventPath, isSilenced, type MonEvent, rerun, resolveEvent } from '../lib/resources.ts';
import { go, href, query, setQuery } from '../lib/router.ts';
import { user } from '../lib/session.ts';
import { Ago, Chip, Problem } from '../parts/bits.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { HistoryStrip, StatusIcon, StatusWord } from '../parts/status.tsx';
import { silenceFor } from './silence-dialog.tsx';

const severities = ['critical', 'warning', 'unknown'] as const;
const statusOf = { critical: 2, warning: 1, unknown: 3 } as const;

/** Rows drawn at once; more are drawn as the end of the list comes near. */
const rowsStep = 150;

const filterOf = (namespace: string): EventFilter => ({
  namespace,
  show: (query.value.get('show') ?? 'attention') as EventFilter['show'],
  search: query.value.get('search') ?? '',
  severity: query.value.get('severity') ?? '',
  silenced: query.value.get('silenced') === 'only',
  sort: (query.value.get('sort') ?? 'severity') as Sort,
});

export const EventsPage = ({ namespace }: { namespace: string }) => {
  const filter = filterOf(namespace);
  const feed = useEvents(filter);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const cursor = useSignal(0);
  const { rows } = feed;
  const drawn = useSignal(rowsStep);
  const at = rows[Math.min(cursor.value, rows.length - 1)];
  const selected = rows.filter(({ event }) => chosen.value.has(keyOf(event))).map(({ event }) => event);
  const targets = selected.length > 0 ? selected : at === undefined ? [] : [at.event];

  const toggle = (event: MonEvent): void => {
    const next = new Set(chosen.value);
    if (!next.delete(keyOf(event))) next.add(keyOf(event));
    chosen.value = next;
  };
  const move = (by: number): void => {
    cursor.value = Math.max(0, Math.min(rows.length - 1, cursor.value + by));
    if (cursor.value >= drawn.value) drawn.value += rowsStep;
    document.querySelectorAll('.events li')[cursor.value]?.scrollIntoView({ block: 'nearest' });
  };
  const forAll = async (what: string, act: (event: MonEvent) => Promise<unknown>): Promise<void> => {
    const many = targets;
    if (many.length === 0) return;
    await attempt(
      `${what} ${many.length === 1 ? keyOf(many[0] as MonEvent) : plural(many.length, 'event')}`,
      () => Promise.all(many.map(act)),
    );
    chosen.value = new Set();
    feed.reload();
  };
  const resolveAll = () =>
    forAll('Resolved', (event) => resolveEvent(namespace, event, user.value ?? 'somebody'));
  const rerunAll = () => forAll('Asked to run again:', (event) => rerun(namespace, event));
  const deleteAll = async (): Promise<void> => {
    if (confirm(`Delete ${plural(targets.length, 'event')} with their history?`))
      await forAll('Deleted', (event) => deleteEvent(namespace, event));
  };
  const silenceAll = (): void => silenceFor(namespace, targets, feed.reload);

  useShortcuts(
    [
      { keys: 'j', what: 'Next event', run: () => move(1) },
      { keys: 'k', what: 'Previous event', run: () => move(-1) },
      { keys: 'x', what: 'Select', run: () => at && toggle(at.event) },
      { keys: 'Enter', what: 'Open', run: () => at && go(eventPath(namespace, at.event)) },
      { keys: 's', what: 'Silence', run: silenceAll },
      { keys: 'r', what: 'Run again', run: () => void rerunAll() },
      { keys: 'a', what: 'Resolve', run: () => void resolveAll() },
    ],
    [rows, chosen.value, cursor.value],
  );
  useEffect(() => {
    cursor.value = 0;
    drawn.value = rowsStep;
  }, [JSON.stringify(filter)]);

  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
        <span class="dim">{feed.isLoaded ? plural(feed.total, 'event') : ''}</span>
      </header>
      <div class="filters">
        <div class="chips">
          <Chip
            on={filter.show === 'attention'}
            onClick={() => setQuery({ show: '' })}
            title="Not passing and not silenced"
          >
            Needs attention
          </Chip>
          <Chip
            on={filter.show === 'failing'}
            onClick={() => setQuery({ show: 'failing' })}
            title="Not passing, silenced ones too"
          >
            Not passing
          </Chip>
          <Chip on={filter.show === 'all'} onClick={() => setQuery({ show: 'all' })}>
            All
          </Chip>
          <span class="divider" />
          {severities.map((severity) => (
            <Chip
              key={severity}
              on={filter.severity === severity}
              onClick={() => setQuery({ severity: filter.severity === severity ? '' : severity })}
            >
              <StatusIcon status={statusOf[severity]} size={13} /> {severity}
            </Chip>
          ))}
          <Chip
            on={filter.silenced}
            onClick={() =>
              setQuery({ silenced: filter.silenced ? '' : 'only', show: filter.silenced ? '' : 'failing' })
            }
          >
            silenced
          </Chip>
        </div>
        <SearchBox
          value={filter.search}
          placeholder="Search entity, check, output"
          onChange={(search) => setQuery({ search })}
        />
        <select
          aria-label="Order"
          value={filter.sort}
          onChange={(event) => setQuery({ sort: event.currentTarget.value })}
        >
          <option value="severity">worst first</option>
          <option value="newest">newest first</option>
          <option value="entity">by entity</option>
        </select>
      </div>
      <div class="bulk" data-some={selected.length > 0}>
        <label>
          <input
            type="checkbox"
            checked={rows.length > 0 && selected.length === rows.length}
            onChange={(event) => {
              chosen.value = new Set(event.currentTarget.checked ? rows.map((row) => keyOf(row.event)) : []);
            }}
          />
          {selected.length > 0 ? `${selected.length} selected` : 'all'}
        </label>
        {selected.length > 0 && (
          <>
            <button type="button" onClick={resolveAll}>
              Resolve
            </button>
            <button type="button" onClick={rerunAll}>
              Run again
            </button>
            <button type="button" onClick={silenceAll}>
              Silence…
            </button>
            <button type="button" class="danger" onClick={deleteAll}>
              Delete…
            </button>
          </>
        )}
        {feed.waiting > 0 && (
          <button type="button" class="new-bar" onClick={feed.showNew}>
            {feed.waiting} new — show
          </button>
        )}
      </div>
      {feed.problem !== undefined && <Problem text={feed.problem} again={feed.reload} />}
      <ul class="events">
        {rows.slice(0, drawn.value).map((row, index) => (
          <Row
            key={keyOf(row.event)}
            namespace={namespace}
            row={row}
            isAt={index === cursor.value}
            isChosen={chosen.value.has(keyOf(row.event))}
            onToggle={() => toggle(row.event)}
          />
        ))}
      </ul>
      {(rows.length > drawn.value || feed.hasMore) && (
        <More
          count={feed.total - Math.min(rows.length, drawn.value)}
          onNear={() => {
            drawn.value = Math.min(rows.length, drawn.value) + rowsStep;
            if (rows.length < drawn.value) feed.more();
          }}
        />
      )}
      {feed.isLoaded && rows.length === 0 && <AllQuiet filter={filter} />}
    </>
  );
};

/** Draws on before its end is reached, so that nobody waits at the end of the list. */
const More = ({ count, onNear }: { count: number; onNear: () => void }) => {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && onNear(), {
      rootMargin: '1200px',
    });
    if (end.current !== null) near.observe(end.current);
    return () => near.disconnect();
  }, [count]);
  return (
    <div ref={end} class="row pager">
      <button type="button" onClick={onNear}>
        {count.toLocaleString('en')} more
      </button>
    </div>
  );
};

const AllQuiet = ({ filter }: { filter: EventFilter }) => (
  <div class="quiet-page">
    <StatusIcon status={0} size={34} />
    <p>
      {filter.show === 'attention' && filter.search === '' && filter.severity === ''
        ? 'Nothing needs attention.'
        : 'No event fits.'}
    </p>
    {filter.show !== 'all' && (
      <p class="dim">
        Passing and silenced events are hidden here.{' '}
        <a href={href(`/n/${encode(filter.namespace)}/events?show=all`)}>Show all</a>
      </p>
    )}
  </div>
);

interface RowProps {
  readonly namespace: string;
  readonly row: ShownEvent;
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

/** Drawn anew only when something of it changed: in a list of two thousand most rows stay as they are. */
const Row = (props: RowProps) => {
  const { namespace, row, isAt, isChosen } = props;
  return useMemo(() => <RowBody {...props} />, [namespace, row.event, row.fits, isAt, isChosen]);
};

const RowBody = ({ namespace, row: { event, fits }, isAt, isChosen, onToggle }: RowProps) => {
  const { check, entity } = event;
  const to = href(eventPath(namespace, event));
  return (
    <li class={`${isAt ? 'at' : ''} ${isChosen ? 'chosen' : ''} ${fits ? '' : 'gone'}`}>
      <input type="checkbox" checked={isChosen} aria-label={`Select ${keyOf(event)}`} onChange={onToggle} />
      <StatusWord status={check.status} />
      <a class="what" href={to}>
        <b>{check.metadata.name}</b>
        <span>{entity.metadata.name}</span>
      </a>
      <a class="output" href={to} tabIndex={-1}>
        {firstLine(check.output) || 'no output'}
      </a>
      <span class="tags">
        {check.state === 'flapping' && <span class="tag">flapping</span>}
        {isSilenced(event) && (
          <span class="tag silenced" title={(check.silenced ?? []).join(', ')}>
            silenced
          </span>
        )}
        {check.status !== 0 && check.occurrences > 1 && (
          <span class="tag" title="results in a row with this status">
            {check.occurrences}×
          </span>
        )}
      </span>
      <HistoryStrip history={check.history ?? []} />
      <Ago at={check.executed || event.timestamp} />
    </li>
  );
};
