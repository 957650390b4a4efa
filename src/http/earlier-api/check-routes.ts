// /checks and /request: definitions, and asking for one to be run now (earlier-client sheet 4).
import { clientNamespace } from '../../actors/clients/client-behaviour.ts';
import { checkRequest } from '../../machines/client-request-rule.ts';
import type { CheckConfig } from '../../model/check.ts';
import { eventsOf } from './client-routes.ts';
import { accepted, type EarlierBackend, type EarlierRoute, found, invalid, notFound, text } from './route.ts';

const definitions = (backend: EarlierBackend): readonly CheckConfig[] =>
  backend.resources.list('checks', { namespace: clientNamespace }).items as unknown as readonly CheckConfig[];

const definition = (backend: EarlierBackend, name: string): CheckConfig | undefined =>
  backend.resources.get('checks', clientNamespace, name) as unknown as CheckConfig | undefined;

const shown = (config: CheckConfig) => {
  const { issued: _, ...attributes } = checkRequest(config, 0);
  const when =
    config.cron === undefined || config.cron === '' ? { interval: config.interval } : { cron: config.cron };
  return { ...attributes, subscribers: config.subscriptions, ...when };
};

const list = { verb: 'list', resource: 'checks' } as const;

export const checkRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/checks',
    access: list,
    handle: ({ backend }) => found(definitions(backend).map(shown)),
  },
  {
    method: 'GET',
    path: '/checks/:check',
    access: { verb: 'get', resource: 'checks' },
    handle: ({ backend, params }) => {
      const config = definition(backend, params['check'] ?? '');
      return config === undefined ? notFound : found(shown(config));
    },
  },
  {
    method: 'DELETE',
    path: '/checks/:check',
    access: { verb: 'delete', resource: 'events' },
    // The definition stays: what is deleted are the results of this check, of all clients.
    handle: async (ask) => {
      const { check = '' } = ask.params;
      for (const { name } of ask.backend.clients.list()) {
        const events = await eventsOf(ask.backend, name);
        if (events.some((event) => event.check.metadata.name === check))
          await ask.backend.deleteEvent(clientNamespace, name, check);
      }
      return accepted(ask);
    },
  },
  {
    method: 'POST',
    path: '/request',
    access: { verb: 'update', resource: 'checks' },
    handle: async (ask) => {
      const { backend, body, nowMs } = ask;
      const name = text(body, 'check');
      const { subscribers = [], reason, creator } = body;
      if (!Array.isArray(subscribers) || !subscribers.every((one) => typeof one === 'string'))
        throw invalid('subscribers must be an array of strings');
      const config = definition(backend, name);
      if (config === undefined) return notFound;
      const api_requested = {
        ...(typeof reason === 'string' ? { reason } : {}),
        ...(typeof creator === 'string' ? { creator } : {}),
      };
      backend.clients.issue(
        config,
        { issued: Math.floor(nowMs / 1000), subscriptions: subscribers as string[] },
        { api_requested },
      );
      return accepted(ask);
    },
  },
];
