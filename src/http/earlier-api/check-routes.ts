// /checks and /request: check definitions, and running a check now.

import { checkDefinition, isStandalone, requestedHooks } from '../../machines/client/client-request-rule.ts';
import type { CheckConfig } from '../../model/check/check.ts';
import type { HookConfig } from '../../model/check/hook.ts';
import type { Json } from '../../model/earlier/json.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import { maxListItems } from '../../model/limits.ts';
import { eventsOf } from './client-routes.ts';
import {
  type Ask,
  accepted,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  may,
  notFound,
  text,
} from './route.ts';

/** Checks scheduled by the server, without standalone checks of clients. */
export const definitions = (backend: EarlierBackend): readonly CheckConfig[] =>
  (backend.resources.list('checks', { namespace: clientNamespace }).items as unknown as CheckConfig[]).filter(
    (config) => !isStandalone(config),
  );

/** The definition in the format of the earlier generation. */
export const shownDefinition = ({ resources }: EarlierBackend, config: CheckConfig): Json => ({
  ...checkDefinition(config),
  ...requestedHooks(
    config,
    (name) => resources.get('hooks', clientNamespace, name) as HookConfig | undefined,
  ),
});

const definition = (backend: EarlierBackend, name: string): CheckConfig | undefined =>
  definitions(backend).find(({ metadata }) => metadata.name === name);

/** Keeps the definition and deletes the results of this check for all clients. */
const deleteResults = async (ask: Ask) => {
  const { backend, params } = ask;
  const { check = '' } = params;
  for (const { name } of backend.clients.list()) {
    const events = await eventsOf(backend, name);
    if (events.some((event) => event.check.metadata.name === check))
      await backend.deleteEvent(clientNamespace, name, check);
  }
  return accepted(ask);
};

const request = async (ask: Ask) => {
  const { backend, body } = ask;
  const name = text(body, 'check');
  const { subscribers = [], reason, creator } = body;
  if (!Array.isArray(subscribers) || !subscribers.every((one) => typeof one === 'string'))
    throw invalid('subscribers must be an array of strings');
  if (subscribers.length > maxListItems)
    throw invalid(`subscribers must have at most ${maxListItems} items, not ${subscribers.length}`);
  for (const [key, value] of Object.entries({ reason, creator }))
    if (value !== undefined && typeof value !== 'string') throw invalid(`${key} must be a string`);
  if (definition(backend, name) === undefined) return notFound;
  const api_requested = {
    ...(reason === undefined ? {} : { reason }),
    ...(creator === undefined ? {} : { creator }),
  };
  await backend.executeCheck(clientNamespace, name, subscribers, { api_requested });
  return accepted(ask);
};

export const checkRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/checks',
    access: may('list', 'checks'),
    handle: ({ backend }) => found(definitions(backend).map((config) => shownDefinition(backend, config))),
  },
  {
    method: 'GET',
    path: '/checks/:check',
    access: may('get', 'checks'),
    handle: ({ backend, params }) => {
      const config = definition(backend, params['check'] ?? '');
      return config === undefined ? notFound : found(shownDefinition(backend, config));
    },
  },
  { method: 'DELETE', path: '/checks/:check', access: may('delete', 'events'), handle: deleteResults },
  { method: 'POST', path: '/request', access: may('update', 'checks'), handle: request },
];
