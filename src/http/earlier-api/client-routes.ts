// /clients: the client registry in the format of the earlier generation.

import type { ClientRecord } from '../../machines/client/client-facts.ts';
import { clientRows } from '../../model/earlier/client-rules.ts';
import { earlierResult } from '../../model/earlier/event-shape.ts';
import type { Json } from '../../model/earlier/json.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import { redactClient } from '../../model/earlier/redaction.ts';
import { judge } from '../../model/earlier/rule-table.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { wholeNumber } from './listing.ts';
import {
  type Ask,
  accepted,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  may,
  notFound,
} from './route.ts';

/** The public view of a client. Its signature is a secret between the client and the backend. */
export const shownClient = (record: ClientRecord): Json => {
  const { signature: _, ...rest } = record;
  return redactClient(rest);
};

/** The latest events of all checks of a client; empty if the client is unknown. */
export const eventsOf = async (backend: EarlierBackend, client: string): Promise<readonly CheckEvent[]> =>
  backend.clients.get(client) === undefined
    ? []
    : (await backend.readEvents({ namespace: clientNamespace, entity: client })).items;

const historyOf = (event: CheckEvent) => ({
  check: event.check.metadata.name,
  history: (event.check.history ?? []).map(({ status }) => status),
  last_execution: event.check.executed,
  last_status: event.check.status,
  last_result: earlierResult(event),
});

const declare = async ({ backend, body, nowMs, version }: Ask) => {
  const record = {
    keepalives: false,
    version,
    subscriptions: [],
    ...body,
    timestamp: Math.floor(nowMs / 1000),
  };
  const [problem] = judge(record, clientRows);
  if (problem !== undefined) throw invalid(problem);
  await backend.clients.declare(record);
  return { code: 201, body: { name: body['name'] } };
};

/**
 * `invalidate`: drop messages from the client while it is deleted; `invalidate_expire`: and for this many seconds
 * afterwards.
 */
const barOf = (query: URLSearchParams): { readonly barMs?: number } =>
  query.get('invalidate') === 'true' ? { barMs: (wholeNumber(query, 'invalidate_expire') ?? 0) * 1000 } : {};

const read = may('list', 'entities');

export const clientRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/clients',
    access: read,
    handle: ({ backend }) => found(backend.clients.list().map(({ record }) => shownClient(record))),
  },
  { method: 'POST', path: '/clients', access: may('create', 'entities'), handle: declare },
  {
    method: 'GET',
    path: '/clients/:client',
    access: read,
    handle: ({ backend, params }) => {
      const view = backend.clients.get(params['client'] ?? '');
      return view === undefined ? notFound : found(shownClient(view.record));
    },
  },
  {
    method: 'GET',
    path: '/clients/:client/history',
    access: may('list', 'events'),
    handle: async ({ backend, params }) =>
      found((await eventsOf(backend, params['client'] ?? '')).map(historyOf)),
  },
  {
    method: 'DELETE',
    path: '/clients/:client',
    access: may('delete', 'entities'),
    handle: async (ask) =>
      (await ask.backend.deleteClient(ask.params['client'] ?? '', barOf(ask.query)))
        ? accepted(ask)
        : notFound,
  },
];
