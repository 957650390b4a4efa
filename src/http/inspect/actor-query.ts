// Search, sorting and paging of the actor table on the server, since there may be a hundred thousand rows.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { InspectionPort } from './inspection-port.ts';
import { defaultPageSize, maxPageSize, rowsPerTurn } from './limits.ts';
import type { ActorPage, ActorRow } from './protocol.ts';
import { namespaceOf } from './request.ts';
import { stateWords } from './state-value.ts';

export const actorSorts = ['id', 'mailbox', 'rate', 'restarts', 'age'] as const;
type ActorSort = (typeof actorSorts)[number];

export const actorQuerySchema = z.object({
  /** Actor ids with this prefix. */
  prefix: z.string().max(1_024).default(''),
  /** Actors in this namespace: `family:namespace/...`. */
  namespace: z.string().max(256).default(''),
  /** Actor ids containing this, case-insensitive. */
  search: z.string().max(256).default(''),
  machine: z.string().max(64).default(''),
  /** A state, as `ttl.waiting` or just `waiting`. */
  state: z.string().max(256).default(''),
  sort: z.enum(actorSorts).default('id'),
  limit: z.coerce.number().int().min(1).max(maxPageSize).default(defaultPageSize),
  continue: z.string().max(2_048).optional(),
});
export type ActorQuery = z.infer<typeof actorQuerySchema>;

/** Pages of one sort order never repeat an unchanged row. Yields to the event loop regularly. */
export const queryActors = async (port: InspectionPort, query: ActorQuery): Promise<ActorPage> => {
  const nowMs = port.nowMs();
  const matching = await matchingRows(port, query);
  const ordered = matching
    .map((row) => ({ row, weight: weightOf(row, query.sort, nowMs) }))
    .sort((a, b) => b.weight - a.weight || (a.row.id < b.row.id ? -1 : 1));
  const start = startOf(query.continue);
  const items = ordered.slice(start, start + query.limit).map(({ row }) => row);
  const isLast = start + items.length >= ordered.length;
  return { items, total: ordered.length, ...(isLast ? {} : { next: String(start + items.length) }) };
};

const matchingRows = async (port: InspectionPort, query: ActorQuery): Promise<ActorRow[]> => {
  const found: ActorRow[] = [];
  let looked = 0;
  for (const row of port.actors(query.prefix)) {
    if (rowMatches(row, query)) found.push(row);
    looked += 1;
    if (looked % rowsPerTurn === 0) await nextTurn();
  }
  return found;
};

const rowMatches = (row: ActorRow, query: ActorQuery): boolean =>
  (query.namespace === '' || namespaceOf(row.id) === query.namespace) &&
  (query.machine === '' || row.machine === query.machine) &&
  (query.search === '' || row.id.toLowerCase().includes(query.search.toLowerCase())) &&
  (query.state === '' || isIn(row, query.state));

/** `waiting` matches `ttl.waiting`; `ttl` matches every state below it. */
const isIn = (row: ActorRow, state: string): boolean =>
  row.status === state || stateWords(row.value).some((word) => `.${word}.`.includes(`.${state}.`));

const weightOf = (row: ActorRow, sort: ActorSort, nowMs: number): number => {
  switch (sort) {
    case 'id':
      return 0;
    case 'mailbox':
      return row.mailbox;
    case 'restarts':
      return row.restarts;
    case 'age':
      return nowMs - row.startedAtMs;
    case 'rate':
      return ratePerSecond(row, nowMs);
  }
};

/** Messages per second since the actor started. */
const ratePerSecond = (row: ActorRow, nowMs: number): number =>
  row.handled / Math.max(1, (nowMs - row.startedAtMs) / 1000);

const startOf = (token: string | undefined): number => {
  const start = Number(token ?? 0);
  return Number.isSafeInteger(start) && start > 0 ? start : 0;
};
