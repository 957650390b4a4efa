// The list of events of a namespace, and what changes in it, from the live routes. A stream that ends is opened again where it
// ended; when too much changed for that, the list is read again.
import { setTimeout as pause } from 'node:timers/promises';
import { CtlError, RefusedError } from '../failure.ts';
import { streamRetryMs } from '../limits.ts';
import type { ApiClient, Json } from './api-client.ts';

export type EventQuery = Readonly<Record<string, string | undefined>>;

/** An event as a line of a list: the fields of an event that a table shows. */
type EventRow = Json;

export type Change =
  | { readonly type: 'row'; readonly row: EventRow }
  /** `entity/check` of an event that was deleted, or no longer fits the question. */
  | { readonly type: 'gone'; readonly key: string };

interface Page {
  readonly items: readonly EventRow[];
  readonly next?: string;
  readonly cursor: string;
  readonly total: number;
}

const pathOf = (namespace: string): string =>
  `/api/inspect/v1/namespaces/${encodeURIComponent(namespace)}/events`;

export interface LiveList {
  readonly rows: readonly EventRow[];
  readonly cursor: string;
}

/** Every event that fits, and the place from which changes follow. */
export const readLiveList = async (
  api: ApiClient,
  namespace: string,
  query: EventQuery,
): Promise<LiveList> => {
  const rows: EventRow[] = [];
  let cursor: string | undefined;
  let next: string | undefined;
  do {
    const page = (await api.get(pathOf(namespace), { limit: '1000', ...query, continue: next })) as Page;
    if (!Array.isArray(page.items)) throw new CtlError('the backend has no live list of events');
    for (const row of page.items) rows.push(row);
    // What changed while the pages were read is told by the stream again.
    cursor ??= page.cursor;
    next = page.next;
  } while (next !== undefined);
  return { rows, cursor: cursor ?? '' };
};

/** Until `signal`. Throws when the backend refuses; an outage is waited for. */
export async function* followEvents(
  api: ApiClient,
  namespace: string,
  query: EventQuery,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  let cursor = from;
  const { order: _order, limit: _limit, ...filter } = query;
  while (!signal.aborted) {
    try {
      const headers = { 'Last-Event-ID': cursor };
      for await (const { id, event, data } of api.events(
        `${pathOf(namespace)}/stream`,
        { query: filter, headers },
        signal,
      )) {
        if (event === 'lagged') {
          const list = await readLiveList(api, namespace, query);
          for (const row of list.rows) yield { type: 'row', row };
          cursor = list.cursor;
          break;
        }
        if (event === 'changes') {
          const { rows, gone } = JSON.parse(data) as { rows: EventRow[]; gone: string[] };
          for (const row of rows) yield { type: 'row', row };
          for (const key of gone) yield { type: 'gone', key };
        }
        cursor = id ?? cursor;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CtlError) || error instanceof RefusedError) throw error;
    }
    await pause(streamRetryMs, undefined, { signal }).catch(() => {});
  }
}
