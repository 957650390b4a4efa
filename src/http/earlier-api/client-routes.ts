// /clients: the registry, as the earlier generation shows it (earlier-client sheet 4).
import { clientNamespace } from '../../actors/clients/client-behaviour.ts';
import { earlierResult } from '../../machines/client-event-rule.ts';
import type { ClientRecord } from '../../machines/client-facts.ts';
import { isClientName } from '../../machines/client-registry-rule.ts';
import type { Json } from '../../model/earlier/json.ts';
import { redactClient } from '../../model/earlier/redaction.ts';
import type { CheckEvent } from '../../model/event.ts';
import { accepted, type EarlierBackend, type EarlierRoute, found, invalid, notFound } from './route.ts';

/** What others see of a client. Its signature is a secret between it and us. */
export const shownClient = (record: ClientRecord): Json => {
  const { signature: _, ...rest } = record;
  return redactClient(rest);
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
