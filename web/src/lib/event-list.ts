// What the list of events shows, and what becomes of it when the backend tells of changes. Rows never jump: what is on
// the screen changes in place, what no longer fits stays greyed, what is new waits behind a bar until asked for. Pure.
import type { EventChanges, EventListPage, EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { keyOf } from './event-key.ts';
import { severityRank } from './format.ts';

export type Sort = 'severity' | 'newest' | 'entity';

export interface EventFilter {
  readonly namespace: string;
  /** `attention`: not passing and not silenced. */
  readonly show: 'attention' | 'failing' | 'all';
  readonly search: string;
  readonly severity: string;
  readonly silenced: boolean;
  readonly sort: Sort;
}

export interface ShownEvent {
  readonly event: EventRow;
  /** False once it no longer fits the filter. */
  readonly fits: boolean;
}

export interface ShownList {
  /** By key, in the order on the screen. */
  readonly rows: ReadonlyMap<string, ShownEvent>;
  /** Keys of what came since, and belongs among the rows. */
  readonly waiting: ReadonlySet<string>;
  /** All that fit, shown or not. */
  readonly total: number;
  /** Token of the rows after the last one; undefined when there are none. */
  readonly next: string | undefined;
}

const orders = { severity: 'worst', newest: 'newest', entity: 'name' } as const;

/** The filter as the backend is asked, for its list as for its stream. */
export const queryOf = (filter: EventFilter): Record<string, string> => {
  const { show, severity, silenced, search, sort } = filter;
  const state = severity !== '' ? severity : show === 'all' ? '' : 'failing';
  const onlySilenced = silenced ? 'true' : show === 'attention' ? 'false' : '';
  const query = { order: orders[sort], state, silenced: onlySilenced, search };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
};

const shown = (event: EventRow): [string, ShownEvent] => [keyOf(event), { event, fits: true }];

export const firstPage = ({ items, total, next }: EventListPage): ShownList => ({
  rows: new Map(items.map(shown)),
  waiting: new Set(),
  total,
  next,
});

/** Further rows below those that are there. */
export const withPage = (list: ShownList, { items, total, next }: EventListPage): ShownList => {
  const fresh = items.filter((event) => !list.rows.has(keyOf(event)));
  return { ...list, rows: new Map([...list.rows, ...fresh.map(shown)]), total, next };
};

/** Told of by the stream: of rows on the screen what they are now, of others only those that belong above the last row. */
export const withChanges = (list: ShownList, sort: Sort, { rows, gone }: EventChanges): ShownList => {
  const known = new Map(list.rows);
  const waiting = new Set(list.waiting);
  let { total } = list;
  const last = list.next === undefined ? undefined : [...list.rows.values()].at(-1)?.event;
  for (const event of rows) {
    const key = keyOf(event);
    const before = known.get(key);
    if (before !== undefined) {
      if (!before.fits) total += 1;
      known.set(key, { event, fits: true });
    } else if (last === undefined || comes(sort, event, last)) {
      if (!waiting.has(key)) total += 1;
      waiting.add(key);
    }
  }
  for (const key of gone) {
    const before = known.get(key);
    if (before?.fits === true || waiting.delete(key)) total -= 1;
    if (before !== undefined) known.set(key, { event: before.event, fits: false });
  }
  return { ...list, rows: known, waiting, total: Math.max(0, total) };
};

/**
 * Read anew, because too much happened to be told: rows that came back are as they are now, of those that did not come
 * back within the same stretch of the list nobody knows more than that they no longer fit.
 */
export const withReading = (
  list: ShownList,
  sort: Sort,
  { items, total, next }: EventListPage,
): ShownList => {
  const now = new Map(items.map(shown));
  const last = next === undefined ? undefined : items.at(-1);
  const rows = new Map(
    [...list.rows].map(([key, { event, fits }]): [string, ShownEvent] => {
      const isBeyond = last !== undefined && !comes(sort, event, last);
      return [key, now.get(key) ?? { event, fits: fits && isBeyond }];
    }),
  );
  return { ...list, rows, total, waiting: new Set([...now.keys()].filter((key) => !rows.has(key))) };
};

/** Whether one event stands before another in the order of the list. */
const comes = (sort: Sort, a: EventRow, b: EventRow): boolean => {
  if (sort === 'severity') {
    const worse = severityRank(a.check.status) - severityRank(b.check.status);
    if (worse !== 0) return worse > 0;
    if (a.since !== b.since) return a.since > b.since;
  }
  if (sort === 'newest' && a.timestamp !== b.timestamp) return a.timestamp > b.timestamp;
  return keyOf(a) < keyOf(b);
};
