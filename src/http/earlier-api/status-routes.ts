// /info, /health and /settings of the earlier API. Queues are always empty, since messages are processed
// immediately; there is one consumer while this backend serves and its transport is connected. The Redis status is
// that of our store.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { defaultClientCriticalSeconds, defaultClientWarningSeconds } from '../../machines/limits.ts';
import type { Json } from '../../model/earlier/json.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import { redact } from '../../model/earlier/redaction.ts';
import { definitions, shownDefinition } from './check-routes.ts';
import { wholeNumber } from './listing.ts';
import {
  type Access,
  type Answer,
  type Ask,
  type EarlierBackend,
  type EarlierRoute,
  found,
  noContent,
} from './route.ts';

const waiting = 0;

interface Connections {
  /** The broker status, if there is one; with several, one that is disconnected. */
  readonly transport: string;
  readonly hearsAll: boolean;
  readonly hasStore: boolean;
  readonly consumers: number;
}

const connectionsOf = async (backend: EarlierBackend): Promise<Connections> => {
  const outlets = backend.clients.outlets();
  const brokers = outlets.filter(({ kind }) => kind !== 'websocket');
  const lost = brokers.find((broker) => !broker.isConnected());
  const { members } = await backend.health();
  return {
    transport: (lost ?? brokers[0])?.kind ?? 'websocket',
    hearsAll: lost === undefined,
    hasStore: members.every(({ healthy }) => healthy),
    consumers: backend.isReady() && lost === undefined ? 1 : 0,
  };
};

const byName = (backend: EarlierBackend, segment: string): Json =>
  Object.fromEntries(
    backend.resources.list(segment, { namespace: clientNamespace }).items.map((resource) => {
      const { metadata, ...spec } = resource as { readonly metadata: { readonly name: string } };
      return [metadata.name, spec];
    }),
  );

/** The effective settings, in the scopes of the earlier generation. */
const settingsOf = (backend: EarlierBackend, transport: string): Json => ({
  sensu: {
    keepalives: {
      thresholds: { warning: defaultClientWarningSeconds, critical: defaultClientCriticalSeconds },
    },
  },
  transport: { name: transport, reconnect_on_error: true },
  checks: Object.fromEntries(
    definitions(backend).map((config) => [config.metadata.name, shownDefinition(backend, config)]),
  ),
  filters: byName(backend, 'filters'),
  mutators: byName(backend, 'mutators'),
  handlers: byName(backend, 'handlers'),
  extensions: {},
});

const digest = (settings: Json): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('hex');

const info = async ({ backend, version, nowMs }: Ask): Promise<Answer> => {
  const { transport, hearsAll, hasStore, consumers } = await connectionsOf(backend);
  const queue = { messages: waiting, consumers };
  const product = { version, settings: { hexdigest: digest(settingsOf(backend, transport)) } };
  const { user, system } = process.cpuUsage();
  return found({
    sensu: product,
    transport: { name: transport, keepalives: queue, results: queue, connected: hearsAll },
    redis: { connected: hasStore },
    servers: [
      {
        id: hostname(),
        hostname: hostname(),
        address: 'unknown',
        tasks: ['check_request_publisher', 'client_monitor', 'check_result_monitor'],
        metrics: { cpu: { user: user / 1e6, system: system / 1e6 } },
        sensu: product,
        tessen: { enabled: false },
        timestamp: Math.floor(nowMs / 1000),
      },
    ],
  });
};

const health = async ({ backend, query }: Ask): Promise<Answer> => {
  const { hearsAll, hasStore, consumers } = await connectionsOf(backend);
  const [minConsumers, maxMessages] = [wholeNumber(query, 'consumers'), wholeNumber(query, 'messages')];
  const problems = [
    ...(hasStore ? [] : ['not connected to redis']),
    ...(hearsAll ? [] : ['not connected to transport']),
    ...['keepalive', 'result'].flatMap((queue) => [
      ...(minConsumers !== undefined && consumers < minConsumers
        ? [`${queue} consumers (${consumers}) less than min_consumers (${minConsumers})`]
        : []),
      ...(maxMessages !== undefined && waiting > maxMessages
        ? [`${queue} messages (${waiting}) greater than max_messages (${maxMessages})`]
        : []),
    ]),
  ];
  return problems.length === 0 ? noContent : { code: 412, body: problems };
};

const settings = async ({ backend, query }: Ask): Promise<Answer> => {
  const { transport } = await connectionsOf(backend);
  const all = settingsOf(backend, transport);
  return found(query.get('redacted') === 'false' ? all : redact(all));
};

const anybody: Access = [];
const readsAll: Access = ['checks', 'filters', 'mutators', 'handlers'].map((resource) => ({
  verb: 'list',
  resource,
}));

export const statusRoutes: readonly EarlierRoute[] = [
  { method: 'GET', path: '/info', access: anybody, handle: info },
  { method: 'GET', path: '/health', access: anybody, handle: health },
  { method: 'GET', path: '/settings', access: readsAll, handle: settings },
];
