// The events of one namespace, kept fresh without making rows jump: what is new waits behind a bar until asked for,
// what is on screen changes in place, what no longer fits stays greyed until the next fresh look.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, getPage, inNamespace } from './api.ts';
import { keepUnchanged, type PageReader, readEvents } from './event-reading.ts';
import { severityRank } from './format.ts';
import { isSilenced, keyOf, type MonEvent } from './resources.ts';

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
  readonly event: MonEvent;
  /** False once it no longer fits the filter. */
  readonly fits: boolean;
}

export interface EventFeed {
  readonly rows: readonly ShownEvent[];
  readonly waiting: number;
  readonly total: number;
  readonly isPartial: boolean;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
  readonly showNew: () => void;
  readonly reload: () => void;
}

const everyMs = 2_000;
const restFactor = 8;

export const useEvents = (filter: EventFilter): EventFeed => {
  const latest = useSignal<ReadonlyMap<string, MonEvent>>(new Map());
  const order = useSignal<readonly string[]>([]);
  const isPartial = useSignal(false);
  const isLoaded = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const nudge = useSignal(0);
  const now = useRef(filter);
  now.current = filter;
  // Search and chips that only hide work on what is here; the rest is asked for anew.
  const key = JSON.stringify({ ...filter, search: '', silenced: false });
  const known = useSignal<ReadonlyMap<string, MonEvent>>(new Map());

  const arrange = (): void => {
    const fitting = [...latest.value.values()].filter((event) => fits(now.current, event));
    order.value = fitting.sort(comparing(now.current.sort)).map(keyOf);
  };

  useEffect(() => {
    let left = false;
    let isFirst = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    isLoaded.value = false;
    const show = (events: readonly MonEvent[]): void => {
      const before = latest.value;
      const pairs = events.map((event): [string, MonEvent] => [keyOf(event), event]);
      latest.value = new Map(pairs.map(([name, event]) => [name, keepUnchanged(before, name, event)]));
      known.value = isFirst ? latest.value : new Map([...known.value, ...latest.value]);
      if (isFirst) arrange();
    };
    const load = async (): Promise<void> => {
      const startedMs = performance.now();
      if (document.visibilityState === 'visible') {
        try {
          // Newest first is known only when all are there; otherwise later pages go below the first.
          const isGrowing = isFirst && filter.sort !== 'newest';
          const found = await readEvents(filter, readerOf(filter.namespace), (events) => {
            if (left || !isGrowing) return;
            show(events);
            isPartial.value = true;
            isLoaded.value = true;
          });
          if (left) return;
          show(found.events);
          isPartial.value = found.isPartial;
          isLoaded.value = true;
          problem.value = undefined;
          isFirst = false;
        } catch (error) {
          if (left) return;
          problem.value = error instanceof ApiError ? error.message : 'The backend does not answer.';
        }
      }
      // A list that takes long to read is asked for less often: looking must not become a load.
      timer = setTimeout(load, Math.max(everyMs, restFactor * (performance.now() - startedMs)));
    };
    void load();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [key, nudge.value]);
  useEffect(arrange, [filter.search, filter.silenced]);

  const shown = new Set(order.value);
  const waiting = [...latest.value].filter(([name, event]) => !shown.has(name) && fits(filter, event)).length;
  return {
    rows: order.value.flatMap((name): ShownEvent[] => {
      const event = latest.value.get(name);
      const last = event ?? known.value.get(name);
      return last === undefined ? [] : [{ event: last, fits: event !== undefined && fits(filter, event) }];
    }),
    waiting,
    total: latest.value.size,
    isPartial: isPartial.value,
    isLoaded: isLoaded.value,
    problem: problem.value,
    showNew: arrange,
    reload: () => {
      nudge.value += 1;
    },
  };
};

const readerOf =
  (namespace: string): PageReader =>
  (selector, next, limit) =>
    getPage<MonEvent>(inNamespace(namespace, 'events'), {
      limit: String(limit),
      fieldSelector: selector,
      continue: next,
    });

export const fits = (filter: EventFilter, event: MonEvent): boolean => {
  if (filter.show !== 'all' && event.check.status === 0) return false;
  if (filter.show === 'attention' && isSilenced(event)) return false;
  if (filter.severity !== '' && severityWord(event.check.status) !== filter.severity) return false;
  if (filter.silenced && !isSilenced(event)) return false;
  const text = `${keyOf(event)} ${event.check.output}`.toLowerCase();
  return filter.search
    .toLowerCase()
    .split(' ')
    .every((word) => text.includes(word));
};

const severityWord = (status: number): string => ['ok', 'warning', 'critical'][status] ?? 'unknown';

const byKey = (a: MonEvent, b: MonEvent): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const comparing =
  (sort: Sort) =>
  (a: MonEvent, b: MonEvent): number => {
    if (sort === 'newest') return b.timestamp - a.timestamp || byKey(a, b);
    if (sort === 'entity') return byKey(a, b);
    return severityRank(b.check.status) - severityRank(a.check.status) || byKey(a, b);
  };
