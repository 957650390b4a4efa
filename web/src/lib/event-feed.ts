// The events of one namespace or of all, live: the first page at once, more of them as the end of the list comes near, and a stream
// of what changed since.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventChanges, EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { ApiError, encode, getJson, inspect } from './api.ts';
import { keysIn } from './event-key.ts';
import { caughtUp, changed, continued, type EventList, emptyList, opened } from './event-list.ts';
import { comparing, type EventFilter, questionOf } from './event-query.ts';
import { listen } from './server-events.ts';

export interface EventFeed {
  /** Of a list of all namespaces: where the person may list events; undefined: everywhere. */
  readonly namespaces: readonly string[] | undefined;
  readonly list: EventList;
  readonly isLoaded: boolean;
  readonly isLive: boolean;
  readonly problem: string | undefined;
  /** When the list was last known to be as the backend has it; undefined while it is. */
  readonly staleSinceMs: number | undefined;
  /** Reads the next page, if there is one and it is not on its way already. */
  readonly more: () => void;
  readonly reload: () => void;
  /** Reads the list again as far as it is shown: what is new stands in its place, what is gone is not there. */
  readonly refresh: () => Promise<void>;
}

/** Small, so that the first rows are there at once. */
const firstRows = 100;
const pageRows = 500;
const mostRows = 1_000;
/** A list that changes too fast to be told, or is counted only when it is read, is reloaded no more often than this. */
const catchUpMs = 2_000;

/** `namespace`: empty for all. */
export const eventsPath = (namespace: string, query: Readonly<Record<string, string>>, rest = ''): string => {
  const place = namespace === '' ? '' : `namespaces/${encode(namespace)}/`;
  return inspect(`${place}events${rest}?${new URLSearchParams(query)}`);
};

export const readPage = (
  filter: EventFilter,
  limit: number,
  next: string | undefined,
): Promise<EventListPage> =>
  getJson(
    eventsPath(filter.namespace, {
      ...questionOf(filter),
      order: filter.sort,
      limit: String(limit),
      ...(next === undefined ? {} : { continue: next }),
    }),
  );

/** A stream is not asked for more than the person may see. */
const scopeOf = ({ namespaces }: EventListPage): Record<string, string> =>
  namespaces === undefined ? {} : { namespaces: namespaces.join(',') };

const shownRows = ({ rows }: EventList): number => Math.min(mostRows, Math.max(firstRows, rows.size));

export const useEvents = (filter: EventFilter): EventFeed => {
  const list = useSignal<EventList>(emptyList);
  const isLoaded = useSignal(false);
  const isLive = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const staleSinceMs = useSignal<number | undefined>(undefined);
  const namespaces = useSignal<readonly string[] | undefined>(undefined);
  const nudge = useSignal(0);
  const reading = useRef(false);
  const key = JSON.stringify(filter);
  const current = useRef(key);
  current.current = key;
  const compare = comparing(filter.sort);

  const read = async (limit: number, next: string | undefined): Promise<EventListPage | undefined> => {
    try {
      const page = await readPage(filter, limit, next);
      problem.value = undefined;
      return page;
    } catch (error) {
      problem.value = error instanceof ApiError ? error.message : 'The backend does not answer.';
      return undefined;
    }
  };

  useEffect(() => {
    // Rows of another question do not stand under this one, whether the backend answers or not.
    isLoaded.value = false;
    list.value = emptyList;
    problem.value = undefined;
  }, [key]);
  useEffect(() => {
    let left = false;
    let stop: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let caughtUpAtMs = Number.NEGATIVE_INFINITY;
    const catchUp = async (): Promise<void> => {
      const page = await read(shownRows(list.value), undefined);
      timer = undefined;
      caughtUpAtMs = performance.now();
      if (!left && page !== undefined) list.value = caughtUp(list.value, page, compare);
    };
    const catchUpSoon = (): void => {
      timer ??= setTimeout(catchUp, Math.max(0, caughtUpAtMs + catchUpMs - performance.now()));
    };
    const start = async (): Promise<void> => {
      const page = await read(firstRows, undefined);
      if (left) return;
      if (page === undefined) {
        timer = setTimeout(start, catchUpMs);
        return;
      }
      list.value = opened(page, keysIn(filter.namespace));
      namespaces.value = page.namespaces;
      isLoaded.value = true;
      stop = listen(
        eventsPath(filter.namespace, { ...questionOf(filter), ...scopeOf(page) }, '/stream'),
        ({ event, data }) => {
          if (event === 'changes') {
            const changes = data as EventChanges;
            list.value = changed(list.value, changes, compare);
            if (changes.counts === undefined) catchUpSoon();
          }
          if (event === 'lagged') catchUpSoon();
        },
        {
          lastId: page.cursor,
          onState: (open) => {
            isLive.value = open;
            staleSinceMs.value = open ? undefined : (staleSinceMs.value ?? Date.now());
          },
        },
      );
    };
    void start();
    return () => {
      left = true;
      clearTimeout(timer);
      stop?.();
    };
  }, [key, nudge.value]);

  const more = async (): Promise<void> => {
    const { next } = list.value;
    if (next === undefined || reading.current) return;
    reading.current = true;
    const asked = list.value;
    const page = await read(pageRows, next);
    reading.current = false;
    // Another list may have been opened meanwhile.
    if (page !== undefined && list.value.next === asked.next) list.value = continued(list.value, page);
  };
  const refresh = async (): Promise<void> => {
    if (reading.current) return;
    reading.current = true;
    const page = await read(shownRows(list.value), undefined).finally(() => {
      reading.current = false;
    });
    if (page !== undefined && key === current.current) list.value = opened(page, keysIn(filter.namespace));
  };
  return {
    refresh,
    staleSinceMs: staleSinceMs.value,
    list: list.value,
    isLoaded: isLoaded.value,
    isLive: isLive.value,
    namespaces: namespaces.value,
    problem: problem.value,
    more: () => void more(),
    reload: () => {
      nudge.value += 1;
    },
  };
};
