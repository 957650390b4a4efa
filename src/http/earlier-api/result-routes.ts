// /results: the latest result of every check of every client.

import { storedResult } from '../../machines/client/client-view-rule.ts';
import { checkResultProblem } from '../../model/earlier/check-rules.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { eventsOf } from './client-routes.ts';
import {
  type Ask,
  accepted,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  may,
  noContent,
  notFound,
} from './route.ts';

/** The source of a posted result that names none. */
const poster = 'sensu-api';

/** The latest events of all clients. */
export const allEvents = async (backend: EarlierBackend): Promise<readonly CheckEvent[]> => {
  const { items } = await backend.readEvents({
    namespace: clientNamespace,
    filter: ({ entity }) => backend.clients.get(entity.metadata.name) !== undefined,
  });
  return items;
};

/** The event of the client and check in the path. */
export const theEvent = ({ backend, params }: Ask): Promise<CheckEvent | undefined> => {
  const { client = '', check = '' } = params;
  return backend.clients.get(client) === undefined
    ? Promise.resolve(undefined)
    : backend.readEvent(clientNamespace, client, check);
};

const shown = (event: CheckEvent) => ({
  client: event.entity.metadata.name,
  check: storedResult(event),
});

const post = async (ask: Ask) => {
  const now = Math.floor(ask.nowMs / 1000);
  const check = { ...ask.body, status: ask.body['status'] ?? 0, issued: now, executed: now };
  const problem = checkResultProblem(check);
  if (problem !== undefined) throw invalid(problem);
  await ask.backend.clients.result({ client: poster, check });
  return accepted(ask);
};

export const resultRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/results',
    access: may('list', 'events'),
    handle: async ({ backend }) => found((await allEvents(backend)).map(shown)),
  },
  { method: 'POST', path: '/results', access: may('create', 'events'), handle: post },
  {
    method: 'GET',
    path: '/results/:client',
    access: may('list', 'events'),
    handle: async ({ backend, params }) =>
      found((await eventsOf(backend, params['client'] ?? '')).map(shown)),
  },
  {
    method: 'GET',
    path: '/results/:client/:check',
    access: may('get', 'events'),
    handle: async (ask) => {
      const event = await theEvent(ask);
      return event === undefined ? notFound : found(shown(event));
    },
  },
  {
    method: 'DELETE',
    path: '/results/:client/:check',
    access: may('delete', 'events'),
    handle: async (ask) => {
      const { client = '', check = '' } = ask.params;
      if ((await theEvent(ask)) === undefined) return notFound;
      await ask.backend.deleteEvent(clientNamespace, client, check);
      return noContent;
    },
  },
];
