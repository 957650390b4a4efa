// A whole configuration of the earlier generation as resources of today, and a report of what could not be translated.
import { isMap, type Json } from '../../../model/earlier/json.ts';
import type { Report } from '../report.ts';
import { translateCheck } from './checks.ts';
import { translateClient, translateFilter, translateHandler, translateMutator } from './handling.ts';
import type { Resource } from './parts.ts';

const settings: Readonly<Record<string, string>> = {
  api: 'the backend has its own flags for addresses and logins',
  dashboard: 'the backend has a page of its own',
  extensions: 'extensions in Ruby can not run here',
  rabbitmq: 'agents connect to the backend; clients that stay are reached with --earlier-brokers',
  redis: 'state is kept in the store of the backend',
  transport: 'agents connect to the backend; clients that stay are reached with --earlier-brokers',
  sensu: 'settings of the old server and client',
  uchiwa: 'the backend has a page of its own',
};

const named = (value: unknown): readonly (readonly [string, Json])[] =>
  Object.entries(isMap(value) ? value : {}).filter((entry): entry is [string, Json] => isMap(entry[1]));

/** Each once: handlers share filters. */
const unique = (resources: readonly Resource[]): readonly Resource[] => [
  ...new Map(resources.map((one) => [`${one.type}/${String(one.metadata.name)}`, one])).values(),
];

const parts: ReadonlySet<string> = new Set(['checks', 'handlers', 'filters', 'mutators', 'client']);

export const translateCore = (core: Json, namespace: string, report: Report): readonly Resource[] => {
  const place = { namespace, report };
  const client = isMap(core.client) ? core.client : undefined;
  const clientName = typeof client?.name === 'string' ? client.name : undefined;
  const filters = named(core.filters).flatMap(([name, filter]) => translateFilter(name, filter, place));
  const defined = new Set(filters.map(({ metadata }) => String(metadata.name)));
  for (const key of Object.keys(core).filter((one) => !parts.has(one)))
    report.leaveOut(key, settings[key] ?? 'settings of a plugin: give them to its command');
  return unique([
    ...filters,
    ...named(core.mutators).flatMap(([name, mutator]) => translateMutator(name, mutator, place)),
    ...named(core.handlers).flatMap(([name, handler]) => translateHandler(name, handler, place, defined)),
    ...named(core.checks).flatMap(([name, check]) => translateCheck(name, check, { ...place, clientName })),
    ...(client === undefined ? [] : translateClient(client, place)),
  ]);
};
