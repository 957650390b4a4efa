// The events of one namespace, live: the first page at once, more of them as the end of the list comes near, and a stream
// of what changed since.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventChanges, EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { ApiError, encode, getJson, inspect } from './api.ts';
import { caughtUp, changed, continued, type EventList, emptyList, opened } from './event-list.ts';
import { comparing, type EventFilter, questionOf } from './event-query.ts';
import { listen } from './server-events.ts';

export interface EventFeed {
  readonly list: EventList;
  readonly isLoaded: boolean;
  readonly isLive: boolean;
  readonly problem: string | undefined;
  /** Reads the next page, if there is one and it is not on its way already. */
  readonly more: () => void;
  readonly reload: () => void;
}

/** Small, so that the first rows are there at once. */
const firstRows = 100;
const pageRows = 500;
const mostRows = 1_000;
/** A list that changes too fast to be told is read anew, but no more often than this. */
const catchUpMs = 2_000;

export const eventsPath = (namespace: string, query: Readonly<Record<string, string>>, rest = ''): string =>
  inspect(`namespaces/${encode(namespace)}/events${rest}?${new URLSearchParams(query)}`);

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

export const useEvents = (filter: EventFilter): EventFeed => {
  const list = useSignal<EventList>(emptyList);
  const isLoaded = useSignal(false);
  const isLive = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const nudge = useSignal(0);
  const reading = useRef(false);
  const key = JSON.stringify(filter);
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
    isLoaded.value = false;
  }, [key]);
  useEffect(() => {
    let left = false;
    let stop: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const catchUp = async (): Promise<void> => {
      timer = undefined;
      const page = await read(Math.min(mostRows, Math.max(firstRows, list.value.rows.size)), undefined);
      if (!left && page !== undefined) list.value = caughtUp(list.value, page, compare);
    };
    const start = async (): Promise<void> => {
      const page = await read(firstRows, undefined);
      if (left) return;
      if (page === undefined) {
        timer = setTimeout(start, catchUpMs);
        return;
      }
      list.value = opened(page);
      isLoaded.value = true;
      stop = listen(
        eventsPath(filter.namespace, questionOf(filter), '/stream'),
        ({ event, data }) => {
          if (event === 'changes') list.value = changed(list.value, data as EventChanges, compare);
          if (event === 'lagged') timer ??= setTimeout(catchUp, catchUpMs);
        },
        {
          lastId: page.cursor,
          onState: (open) => {
            isLive.value = open;
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
  return {
    list: list.value,
    isLoaded: isLoaded.value,
    isLive: isLive.value,
    problem: problem.value,
    more: () => void more(),
    reload: () => {
      nudge.value += 1;
    },
  };
};
