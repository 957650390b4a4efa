// /clients: the registry, as the earlier generation shows it (earlier-client sheet 4).
import { clientNamespace } from '../../actors/clients/client-behaviour.ts';
import { earlierResult } from '../../machines/client-event-rule.ts';
import type { ClientRecord } from '../../machines/client-facts.ts';
import { isClientName } from '../../machines/client-registry-rule.ts';
import type { CheckEvent } from '../../model/event.ts';
import { defaultRedact, redacted } from '../../model/redaction.ts';
import {
  accepted,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  isMap,
  notFound,
} from './route.ts';

/** Exact keys, at any depth; the client's own list replaces the default. */
const hide = (value: unknown, keys: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => hide(item, keys));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, keys.includes(key) ? redacted : hide(inner, keys)]),
  );
};

/** What others see of a client. Its signature is a secret between it and us. */
export const shownClient = (record: ClientRecord): unknown => {
  const { signature: _, ...rest } = record;
  return hide(rest, Array.isArray(record['redact']) ? record['redact'].map(String) : defaultRedact);
};

export const eventsOf = async (backend: EarlierBackend, client: string): Promise<readonly CheckEvent[]> =>
  (await backend.readEvents({ namespace: clientNamespace, entity: client })).items;

const historyOf = (event: CheckEvent) => ({
  check: event.check.metadata.name,
  history: (event.check.history ?? []).map(({ status }) => status),
  last_execution: event.check.executed,
  last_status: event.check.status,
  last_result: earlierResult(event),
});

const read = { verb: 'list', resource: 'entities' } as const;

export const clientRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/clients',
    access: read,
    handle: ({ backend }) => found(backend.clients.list().map(({ record }) => shownClient(record))),
  },
  {
    method: 'POST',
    path: '/clients',
    access: { verb: 'create', resource: 'entities' },
    handle: async ({ backend, body, nowMs, version }) => {
      const { name, address } = body;
      if (!isClientName(name)) throw invalid('client name cannot contain spaces or special characters');
      if (typeof address !== 'string') throw invalid('client address must be a string');
      await backend.clients.declare({
        keepalives: false,
        version,
        subscriptions: [],
        ...body,
        timestamp: Math.floor(nowMs / 1000),
      });
      return { code: 201, body: { name } };
    },
  },
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
    access: { verb: 'list', resource: 'events' },
    handle: async ({ backend, params }) =>
      found((await eventsOf(backend, params['client'] ?? '')).map(historyOf)),
  },
  {
    method: 'DELETE',
    path: '/clients/:client',
    access: { verb: 'delete', resource: 'entities' },
    handle: async (ask) =>
      (await ask.backend.deleteClient(ask.params['client'] ?? '')) ? accepted(ask) : notFound,
  },
];
