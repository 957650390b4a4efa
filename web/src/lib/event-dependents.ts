// What the events of a list mask: unfolded under each of them, and read anew when the list changes.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventListPage, EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { getJson } from './api.ts';
import { eventsPath } from './event-feed.ts';
import { keyInAll, keyOf, namespaceOf } from './event-key.ts';

/** Of one event; the others are in the list of its dependents, on its own page. */
const mostRows = 100;
const mostOpen = 20;
const everyMs = 2_000;

export interface EventDependents {
  /** By `namespace/entity/check` of what masks them; of those that are unfolded. */
  readonly rows: ReadonlyMap<string, readonly EventRow[]>;
  fold(event: EventRow): void;
}

/** `news` differs whenever something of the list changed; `list` is another one for another question. */
export const useEventDependents = (list: string, news: unknown): EventDependents => {
  const open = useSignal<ReadonlyMap<string, EventRow>>(new Map());
  const rows = useSignal<ReadonlyMap<string, readonly EventRow[]>>(new Map());

  const read = async (event: EventRow): Promise<void> => {
    const key = keyInAll(event);
    const query = { masked_by: keyOf(event), order: 'worst', limit: String(mostRows) };
    const { items } = await getJson<EventListPage>(eventsPath(namespaceOf(event), query));
    if (open.peek().get(key) === event) rows.value = new Map([...rows.peek(), [key, items]]);
  };
  const readAll = (): void => {
    // What can't be read now stays as it was: the list says itself that it is not live.
    for (const event of open.peek().values()) read(event).catch(() => undefined);
  };
  useEffect(() => {
    open.value = new Map();
    rows.value = new Map();
  }, [list]);
  const readAtMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (open.peek().size === 0) return;
    const waitMs = Math.max(0, readAtMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      readAtMs.current = performance.now();
      readAll();
    }, waitMs);
    return () => clearTimeout(timer);
  }, [news]);

  return {
    rows: rows.value,
    fold(event) {
      const key = keyInAll(event);
      const isOpen = open.peek().has(key);
      const others = [...open.peek()].filter(([one]) => one !== key);
      if (isOpen) {
        open.value = new Map(others);
        rows.value = new Map([...rows.peek()].filter(([one]) => one !== key));
      } else if (others.length < mostOpen) {
        open.value = new Map([...others, [key, event]]);
        read(event).catch(() => undefined);
      }
    },
  };
};
