// A list of events that is read a page at a time and kept fresh without making rows jump: what is on screen changes in its
// place, what no longer fits stays greyed and says why, what is new waits until it is asked for. Pure.
import type {
  EventChanges,
  EventCounts,
  EventListPage,
  EventRow,
  WhyGone,
} from '../../../src/http/inspect/events/protocol.ts';
import { type KeyOf, keyOf } from './event-key.ts';

export interface EventList {
  /** How rows are named. */
  readonly nameOf: KeyOf;
  /** By name, in the order they are shown. */
  readonly rows: ReadonlyMap<string, EventRow>;
  /** Of those, the ones that no longer fit, or are deleted. */
  readonly gone: ReadonlyMap<string, WhyGone>;
  /** Fit, and would stand among the rows; with the status of each. */
  readonly waiting: ReadonlyMap<string, number>;
  /** How many fitted when the list was read. */
  readonly total: number;
  readonly counts: EventCounts | undefined;
  /** Token of the next page; undefined when all is here. */
  readonly next: string | undefined;
  /** Backends of a cluster whose events are not in the list, and why. */
  readonly missing: NonNullable<EventListPage['missing']>;
}

export type Compare = (a: EventRow, b: EventRow) => number;

export const emptyList: EventList = {
  nameOf: keyOf,
  rows: new Map(),
  gone: new Map(),
  waiting: new Map(),
  total: 0,
  counts: undefined,
  next: undefined,
  missing: [],
};

const pairsOf = (rows: readonly EventRow[], nameOf: KeyOf) =>
  rows.map((row): [string, EventRow] => [nameOf(row), row]);

export const opened = (
  { items, total, counts, next, missing = [] }: EventListPage,
  nameOf: KeyOf = keyOf,
): EventList => ({
  ...emptyList,
  nameOf,
  rows: new Map(pairsOf(items, nameOf)),
  total,
  counts,
  next,
  missing,
});

/** The next page, below what is there; a row that moved between two pages stays where it was first seen. */
export const continued = (
  list: EventList,
  { items, next, counts, missing = [] }: EventListPage,
): EventList => ({
  ...list,
  rows: new Map([...list.rows, ...pairsOf(items, list.nameOf)]),
  counts,
  next,
  missing,
});

export const changed = (list: EventList, changes: EventChanges, compare: Compare): EventList => {
  const rows = new Map(list.rows);
  const gone = new Map(list.gone);
  const waiting = new Map(list.waiting);
  const last = list.next === undefined ? undefined : [...list.rows.values()].at(-1);
  for (const row of changes.rows) {
    const key = list.nameOf(row);
    if (rows.has(key)) {
      rows.set(key, row);
      gone.delete(key);
    } else if (last === undefined || compare(row, last) < 0) waiting.set(key, row.check.status);
  }
  for (const key of changes.gone) {
    waiting.delete(key);
    if (rows.has(key)) gone.set(key, changes.why[key] ?? gone.get(key) ?? 'other');
  }
  return { ...list, rows, gone, waiting, counts: changes.counts ?? list.counts };
};

/** Merges a reload after missed changes: rows stay where they are, those the page no longer holds are gone. */
export const caughtUp = (list: EventList, page: EventListPage, compare: Compare): EventList => {
  const fresh = new Set(page.items.map(list.nameOf));
  const { next, counts, total } = page;
  const known = { ...list, next: list.next ?? next, total };
  const gone = next === undefined ? [...list.rows.keys()].filter((key) => !fresh.has(key)) : [];
  return changed(known, { counts, rows: page.items, gone, why: {} }, compare);
};
