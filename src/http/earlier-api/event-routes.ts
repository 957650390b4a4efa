// /results, /events and /resolve: what checks of clients came to (earlier-client sheet 3.5, 3.7 and 4).
import { randomUUID } from 'node:crypto';
import { clientNamespace } from '../../actors/clients/client-behaviour.ts';
import { earlierEvent, earlierResult, isEarlierEvent } from '../../machines/client-event-rule.ts';
import { isClientName } from '../../machines/client-registry-rule.ts';
import type { CheckEvent } from '../../model/event.ts';
import { eventsOf, shownClient } from './client-routes.ts';
import {
  type Answer,
  type Ask,
  accepted,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  noContent,
  notFound,
  text,
} from './route.ts';

const shownResult = (event: CheckEvent) => ({
  client: event.entity.metadata.name,
  check: { ...earlierResult(event), history: (event.check.history ?? []).map(({ status }) => status) },
});

const shownEvent = (backend: EarlierBackend, event: CheckEvent): unknown => {
  const { name } = event.entity.metadata;
  const record = backend.clients.get(name)?.record;
  return earlierEvent(event, record === undefined ? { name } : shownClient(record));
};

const allEvents = async (backend: EarlierBackend): Promise<readonly CheckEvent[]> => {
  const { items } = await backend.readEvents({
    namespace: clientNamespace,
    filter: ({ entity }) => backend.clients.get(entity.metadata.name) !== undefined,
  });
  return items;
};

const one = ({ backend, params: { client = '', check = '' } }: Ask): Promise<CheckEvent | undefined> =>
  backend.clients.get(client) === undefined
    ? Promise.resolve(undefined)
    : backend.readEvent(clientNamespace, client, check);

/** The stored check once more, as OK: what the reference product calls a forced resolution. */
const resolve = async (ask: Ask, event: CheckEvent | undefined): Promise<Answer> => {
  if (event === undefined || !isEarlierEvent(event)) return notFound;
  const nowSeconds = Math.floor(ask.nowMs / 1000);
  const output = 'Resolving on request of the API';
  const check = { ...event.check, status: 0, output, executed: nowSeconds, issued: nowSeconds };
  await ask.backend.acceptEvent({ ...event, id: randomUUID(), timestamp: nowSeconds, check });
  return accepted(ask);
};

const list = { verb: 'list', resource: 'events' } as const;
const get = { verb: 'get', resource: 'events' } as const;
const remove = { verb: 'delete', resource: 'events' } as const;
const create = { verb: 'create', resource: 'events' } as const;

const eventPaths = (base: string): readonly EarlierRoute[] => [
  {
    method: 'GET',
    path: base,
    access: list,
    handle: async ({ backend }) =>
      found((await allEvents(backend)).filter(isEarlierEvent).map((event) => shownEvent(backend, event))),
  },
  {
    method: 'GET',
    path: `${base}/:client`,
    access: list,
    handle: async ({ backend, params }) => {
      const events = await eventsOf(backend, params['client'] ?? '');
      return found(events.filter(isEarlierEvent).map((event) => shownEvent(backend, event)));
    },
  },
  {
    method: 'GET',
    path: `${base}/:client/:check`,
    access: get,
    handle: async (ask) => {
      const event = await one(ask);
      return event === undefined || !isEarlierEvent(event) ? notFound : found(shownEvent(ask.backend, event));
    },
  },
  {
    method: 'DELETE',
    path: `${base}/:client/:check`,
    access: remove,
    handle: async (ask) => resolve(ask, await one(ask)),
  },
];

export const eventRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/results',
    access: list,
    handle: async ({ backend }) => found((await allEvents(backend)).map(shownResult)),
  },
  {
    method: 'POST',
    path: '/results',
    access: create,
    handle: async (ask) => {
      const { name, output, status = 0 } = ask.body;
      if (!isClientName(name)) throw invalid('check name cannot contain spaces or special characters');
      if (typeof output !== 'string') throw invalid('check output must be a string');
      const now = Math.floor(ask.nowMs / 1000);
      const check = { ...ask.body, status, issued: now, executed: now };
      await ask.backend.clients.result({ client: 'sensu-api', check });
      return accepted(ask);
    },
  },
  {
    method: 'GET',
    path: '/results/:client',
    access: list,
    handle: async ({ backend, params }) =>
      found((await eventsOf(backend, params['client'] ?? '')).map(shownResult)),
  },
  {
    method: 'GET',
    path: '/results/:client/:check',
    access: get,
    handle: async (ask) => {
      const event = await one(ask);
      return event === undefined ? notFound : found(shownResult(event));
    },
  },
  {
    method: 'DELETE',
    path: '/results/:client/:check',
    access: remove,
    handle: async (ask) => {
      const { client = '', check = '' } = ask.params;
      if ((await one(ask)) === undefined) return notFound;
      await ask.backend.deleteEvent(clientNamespace, client, check);
      return noContent;
    },
  },
  ...eventPaths('/events'),
  ...eventPaths('/incidents'),
  {
    method: 'POST',
    path: '/resolve',
    access: create,
    handle: async (ask) => {
      const params = { client: text(ask.body, 'client'), check: text(ask.body, 'check') };
      return resolve(ask, await one({ ...ask, params }));
    },
  },
];
