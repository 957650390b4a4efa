// /events and /resolve: current incidents of clients, and resolving them.
import { randomUUID } from 'node:crypto';
import { resolvedEvent } from '../../machines/client/client-view-rule.ts';
import { earlierEvent, isEarlierEvent } from '../../model/earlier/event-shape.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { checkKey } from '../../model/resource/names.ts';
import { eventsOf, shownClient } from './client-routes.ts';
import { allEvents, theEvent } from './result-routes.ts';
import {
  type Answer,
  type Ask,
  accepted,
  type EarlierBackend,
  type EarlierRoute,
  found,
  may,
  notFound,
  text,
} from './route.ts';

const shown = (backend: EarlierBackend, event: CheckEvent): unknown => {
  const { name, namespace = '' } = event.entity.metadata;
  const record = backend.clients.get(name)?.record;
  const since = backend.events.get(checkKey(namespace, name, event.check.metadata.name))?.since;
  return earlierEvent(event, record === undefined ? { name } : shownClient(record), since);
};

const incidents = (backend: EarlierBackend, events: readonly CheckEvent[]): Answer =>
  found(events.filter(isEarlierEvent).map((event) => shown(backend, event)));

const resolve = async (ask: Ask): Promise<Answer> => {
  const event = await theEvent(ask);
  if (event === undefined || !isEarlierEvent(event)) return notFound;
  const nowSeconds = Math.floor(ask.nowMs / 1000);
  await ask.backend.acceptEvent(resolvedEvent(event, { id: randomUUID(), nowSeconds }));
  return accepted(ask);
};

const under = (base: string): readonly EarlierRoute[] => [
  {
    method: 'GET',
    path: base,
    access: may('list', 'events'),
    handle: async ({ backend }) => incidents(backend, await allEvents(backend)),
  },
  {
    method: 'GET',
    path: `${base}/:client`,
    access: may('list', 'events'),
    handle: async ({ backend, params }) =>
      incidents(backend, await eventsOf(backend, params['client'] ?? '')),
  },
  {
    method: 'GET',
    path: `${base}/:client/:check`,
    access: may('get', 'events'),
    handle: async (ask) => {
      const event = await theEvent(ask);
      return event === undefined || !isEarlierEvent(event) ? notFound : found(shown(ask.backend, event));
    },
  },
  { method: 'DELETE', path: `${base}/:client/:check`, access: may('delete', 'events'), handle: resolve },
];

export const eventRoutes: readonly EarlierRoute[] = [
  ...under('/events'),
  ...under('/incidents'),
  {
    method: 'POST',
    path: '/resolve',
    access: may('create', 'events'),
    handle: (ask) => {
      const params = { client: text(ask.body, 'client'), check: text(ask.body, 'check') };
      return resolve({ ...ask, params });
    },
  },
];
