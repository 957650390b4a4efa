// The events of one namespace as a view wants them: the first rows at once, more when the end comes near, and live.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventChanges, EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { ApiError, encode, getJson, inspect } from './api.ts';
import {
  type EventFilter,
  firstPage,
  queryOf,
  type ShownEvent,
  type ShownList,
  withChanges,
  withPage,
  withReading,
} from './event-list.ts';
import { listen } from './server-events.ts';

export interface EventFeed {
  readonly rows: readonly ShownEvent[];
  /** How many came that belong above the last row. */
  readonly waiting: number;
  /** All that fit, shown or not. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
  /** Reads the next rows, unless that is under way. */
  readonly more: () => void;
  readonly showNew: () => void;
  readonly reload: () => void;
}

const pageRows = 100;
const maxRows = 1_000;
const retryMs = 2_000;
/** A list that changes faster than it can be told is read again no more often than this. */
const rereadMs = 2_000;

const nothing: ShownList = { rows: new Map(), waiting: new Set(), total: 0, next: undefined };

export const useEvents = (filter: EventFilter): EventFeed => {
  const list = useSignal(nothing);
  const isLoaded = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const nudge = useSignal(0);
  const feed = useRef<OpenFeed | undefined>(undefined);
  const key = JSON.stringify(filter);

  useEffect(() => {
    isLoaded.value = false;
    const opened = openFeed(filter, {
      change: (next) => {
        list.value = next(list.value);
        isLoaded.value = true;
        problem.value = undefined;
      },
      fail: (text) => {
        problem.value = text;
      },
    });
    feed.current = opened;
    return opened.close;
  }, [key, nudge.value]);

  const { rows, waiting, total, next } = list.value;
  const reload = (): void => {
    nudge.value += 1;
  };
  return {
    rows: [...rows.values()],
    waiting: waiting.size,
    total,
    hasMore: next !== undefined,
    isLoaded: isLoaded.value,
    problem: problem.value,
    more: () => feed.current?.more(list.value.next),
    showNew: reload,
    reload,
  };
};

interface FeedView {
  change(next: (list: ShownList) => ShownList): void;
  fail(text: string): void;
}

interface OpenFeed {
  more(next: string | undefined): void;
  close(): void;
}

/** Reads the first page, then follows its changes until it is closed. */
const openFeed = (filter: EventFilter, view: FeedView): OpenFeed => {
  const { namespace, sort } = filter;
  const root = inspect(`namespaces/${encode(namespace)}/events`);
  const query = queryOf(filter);
  let closed = false;
  let isReading = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => {};
  let shownRows = pageRows;

  const read = (more: Record<string, string>): Promise<EventListPage> =>
    getJson<EventListPage>(`${root}?${new URLSearchParams({ ...query, ...more })}`);

  /** One reading at a time; what it found is of no use to a view that has gone. */
  const reading = async (
    ask: () => Promise<EventListPage>,
    found: (page: EventListPage) => void,
    again: () => void,
  ): Promise<void> => {
    if (isReading || closed) return;
    isReading = true;
    try {
      const page = await ask();
      if (!closed) found(page);
    } catch (error) {
      if (closed) return;
      view.fail(error instanceof ApiError ? error.message : 'The backend does not answer.');
      timer = setTimeout(again, retryMs);
    } finally {
      isReading = false;
    }
  };

  const begin = (): void =>
    void reading(
      () => read({ limit: String(pageRows) }),
      (page) => {
        view.change(() => firstPage(page));
        follow(page.cursor);
      },
      begin,
    );

  const reread = (): void =>
    void reading(
      () => read({ limit: String(Math.min(maxRows, shownRows)) }),
      (page) => view.change((list) => withReading(list, sort, page)),
      reread,
    );

  const follow = (cursor: string): void => {
    const onEvent = ({ event, data }: { event: string; data: unknown }): void => {
      if (event === 'changes') view.change((list) => withChanges(list, sort, data as EventChanges));
      if (event !== 'lagged') return;
      clearTimeout(timer);
      timer = setTimeout(reread, rereadMs);
    };
    stop = listen(`${root}/stream?${new URLSearchParams(query)}`, onEvent, { lastId: cursor });
  };

  begin();
  return {
    more: (next) => {
      if (next === undefined) return;
      void reading(
        () => read({ limit: String(pageRows), continue: next }),
        (page) =>
          view.change((list) => {
            const longer = withPage(list, page);
            shownRows = longer.rows.size;
            return longer;
          }),
        () => {},
      );
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      stop();
    },
  };
};
