// /aggregates: results of many clients under one name. An aggregate is computed from the latest results. Deleting
// it hides all results so far; it reappears with the next result.

import {
  aggregateChecks,
  aggregateClients,
  aggregateOutputs,
  aggregateSummary,
  aggregatesOf,
  isSeverity,
  severities,
} from '../../machines/client/client-aggregate-rule.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { wholeNumber } from './listing.ts';
import { allEvents } from './result-routes.ts';
import {
  type Answer,
  type Ask,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  may,
  noContent,
  notFound,
} from './route.ts';

const segment = 'aggregates';

/** Unix seconds; 0 if it was never deleted. */
const deletedAt = (backend: EarlierBackend, name: string): number =>
  Number(backend.resources.get(segment, clientNamespace, name)?.['deletedAtSeconds'] ?? 0);

const all = async (backend: EarlierBackend): Promise<ReadonlyMap<string, readonly CheckEvent[]>> => {
  const found = new Map<string, CheckEvent[]>();
  for (const event of await allEvents(backend))
    for (const name of aggregatesOf(event)) {
      if (event.timestamp <= deletedAt(backend, name)) continue;
      found.set(name, [...(found.get(name) ?? []), event]);
    }
  return found;
};

const withEvents =
  (answer: (events: readonly CheckEvent[], ask: Ask) => unknown) =>
  async (ask: Ask): Promise<Answer> => {
    const events = (await all(ask.backend)).get(ask.params['aggregate'] ?? '');
    return events === undefined ? notFound : found(answer(events, ask));
  };

const remove = async ({ backend, params, nowMs }: Ask): Promise<Answer> => {
  const { aggregate: name = '' } = params;
  if (!(await all(backend)).has(name)) return notFound;
  const deletedAtSeconds = Math.floor(nowMs / 1000);
  await backend.resources.put({ segment, namespace: clientNamespace, name }, { name, deletedAtSeconds });
  return noContent;
};

const outputs = (ask: Ask): Promise<Answer> => {
  const { severity = '' } = ask.params;
  if (!isSeverity(severity)) throw invalid(`severity must be one of ${severities.join(', ')}`);
  return withEvents((events, { query, nowMs }) =>
    aggregateOutputs(events, severity, wholeNumber(query, 'max_age'), nowMs),
  )(ask);
};

const list = may('list', 'events');
const base = '/aggregates/:aggregate';

export const aggregateRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/aggregates',
    access: list,
    handle: async ({ backend }) => found([...(await all(backend)).keys()].sort().map((name) => ({ name }))),
  },
  {
    method: 'GET',
    path: base,
    access: list,
    handle: withEvents((events, { query, nowMs }) =>
      aggregateSummary(events, wholeNumber(query, 'max_age'), nowMs),
    ),
  },
  { method: 'DELETE', path: base, access: may('delete', 'events'), handle: remove },
  { method: 'GET', path: `${base}/clients`, access: list, handle: withEvents(aggregateClients) },
  { method: 'GET', path: `${base}/checks`, access: list, handle: withEvents(aggregateChecks) },
  { method: 'GET', path: `${base}/results/:severity`, access: list, handle: outputs },
];
