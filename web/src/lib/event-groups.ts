// The groups of a list of events: how many each has, and, of those that are unfolded, the first rows. Read anew when the list
// changed. While somebody is at the page nothing jumps: groups and rows stay where they are, new ones come at the end.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventGroupList, EventGroupRow } from '../../../src/http/inspect/events/protocol.ts';
import { getJson } from './api.ts';
import { eventsPath, readPage } from './event-feed.ts';
import { keysIn } from './event-key.ts';
import { caughtUp, type EventList, opened } from './event-list.ts';
import { comparing, type EventFilter, questionOf } from './event-query.ts';

/** Of an unfolded group; the rest is a list of its own. */
const rowsAGroup = 100;
const mostOpen = 20;
const everyMs = 2_000;

export interface EventGroups {
  readonly groups: readonly EventGroupRow[];
  /** How many there are, listed or not. */
  readonly total: number;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
  /** The rows of an unfolded group; undefined of a folded one. */
  rowsOf(name: string): EventList | 'loading' | undefined;
  fold(name: string): void;
  foldAll(isFolded: boolean): void;
  /** Reads all of it anew, in order of urgency. */
  refresh(): Promise<void>;
}

const ofGroup = (filter: EventFilter, name: string): EventFilter => ({ ...filter, group: name });

/** Known groups keep their places. */
const inPlace = (
  known: readonly EventGroupRow[],
  found: readonly EventGroupRow[],
): readonly EventGroupRow[] => {
  const place = new Map(known.map(({ name }, index) => [name, index]));
  const at = ({ name }: EventGroupRow): number => place.get(name) ?? known.length;
  return found.toSorted((a, b) => at(a) - at(b));
};

/** `news` differs whenever something of the list changed. Not grouped: nothing is read. */
export const useEventGroups = (filter: EventFilter, news: unknown): EventGroups => {
  const found = useSignal<EventGroupList | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const unfolded = useSignal<ReadonlyMap<string, EventList | 'loading'>>(new Map());
  const isGrouped = filter.by !== '' && filter.group === undefined;
  const key = JSON.stringify(filter);
  const current = useRef(key);
  current.current = key;
  const compare = comparing(filter.sort);

  const put = (name: string, rows: EventList | 'loading'): void => {
    unfolded.value = new Map([...unfolded.peek(), [name, rows]]);
  };
  const readRows = async (name: string, how: 'anew' | 'inPlace'): Promise<void> => {
    const page = await readPage(ofGroup(filter, name), rowsAGroup, undefined);
    const known = unfolded.peek().get(name);
    if (known === undefined || current.current !== key) return;
    put(
      name,
      how === 'anew' || known === 'loading'
        ? opened(page, keysIn(filter.namespace))
        : caughtUp(known, page, compare),
    );
  };
  const read = async (how: 'anew' | 'inPlace'): Promise<void> => {
    try {
      const path = eventsPath(filter.namespace, { ...questionOf(filter), by: filter.by }, '/groups');
      const list = await getJson<EventGroupList>(path);
      if (current.current !== key) return;
      const known = how === 'anew' ? [] : (found.peek()?.groups ?? []);
      found.value = { ...list, groups: inPlace(known, list.groups) };
      await Promise.all([...unfolded.peek().keys()].map((name) => readRows(name, how)));
      problem.value = undefined;
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const unfold = (names: readonly string[]): void => {
    unfolded.value = new Map([
      ...unfolded.peek(),
      ...names.slice(0, mostOpen).map((name) => [name, 'loading'] as const),
    ]);
    for (const name of names.slice(0, mostOpen))
      readRows(name, 'anew').catch((error: Error) => {
        problem.value = error.message;
      });
  };
  const fold = (name: string): void => {
    if (!unfolded.peek().has(name)) return unfold([name]);
    unfolded.value = new Map([...unfolded.peek()].filter(([one]) => one !== name));
  };

  useEffect(() => {
    found.value = undefined;
    unfolded.value = new Map();
    if (isGrouped) void read('anew');
  }, [key]);
  const readAtMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (!isGrouped || found.peek() === undefined) return;
    const timer = setTimeout(
      () => {
        readAtMs.current = performance.now();
        void read('inPlace');
      },
      Math.max(0, readAtMs.current + everyMs - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [news, key]);

  return {
    groups: found.value?.groups ?? [],
    total: found.value?.total ?? 0,
    isLoaded: found.value !== undefined,
    problem: problem.value,
    rowsOf: (name) => unfolded.value.get(name),
    fold,
    foldAll(isFolded) {
      unfolded.value = new Map();
      if (!isFolded) unfold((found.peek()?.groups ?? []).map(({ name }) => name));
    },
    refresh: () => read('anew'),
  };
};
