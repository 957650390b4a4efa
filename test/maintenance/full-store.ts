// A backend with something of everything that a store can hold, and a dump of everything that can be observed of it: what
// tests of backups, upgrades and fixtures compare before and after.
import { setTimeout as pause } from 'node:timers/promises';
import { collectionUrl } from '../../src/http/resource-routes.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';
import {
  ApiClient,
  adminPassword,
  type Backend,
  eventually,
  inDefault,
  startAgent,
} from '../acceptance/programs.ts';

const adasPassword = 'a-password-of-ada';

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const proxy = (name: string, namespace = 'default') => ({
  entity_class: 'proxy',
  metadata: { name, namespace },
});

const put = async (api: ApiClient, path: string, body: object): Promise<void> => {
  const response = await api.call('PUT', path, body);
  if (!response.ok) throw new Error(`PUT ${path} answered ${response.status}: ${await response.text()}`);
};

const definitions: readonly (readonly [path: string, body: object])[] = [
  ['/api/core/v2/namespaces/ops', { name: 'ops' }],
  [inDefault('filters/weekday'), { action: 'allow', expressions: ['event.check.occurrences == 1'] }],
  [inDefault('mutators/short'), { command: 'cut -c 1-200' }],
  // Still runs when the backend is killed: what it was given is a pending delivery then.
  [inDefault('handlers/hold'), { type: 'pipe', command: 'sleep 3600', timeout: 3_600 }],
  [inDefault('handlers/all'), { type: 'set', handlers: ['hold'] }],
  [inDefault('hooks/ps'), { command: 'ps', timeout: 5 }],
  [
    inDefault('assets/tool'),
    { url: 'https://assets.example.org/tool.tar.gz', sha512: 'ab'.repeat(64), filters: [] },
  ],
  [
    inDefault('checks/rotating'),
    { command: 'true', subscriptions: ['linux'], interval: 1, publish: true, round_robin: true },
  ],
  [
    '/api/core/v2/namespaces/ops/checks/disk',
    { command: 'df', subscriptions: ['none'], interval: 3_600, publish: false },
  ],
  [
    inDefault('roles/reader'),
    { rules: [{ verbs: ['get', 'list'], resources: ['events'], resource_names: null }] },
  ],
  [
    inDefault('rolebindings/readers'),
    { role_ref: { type: 'Role', name: 'reader' }, subjects: [{ type: 'User', name: 'ada' }] },
  ],
  [
    '/api/enterprise/authentication/v2/authproviders/directory',
    {
      type: 'ldap',
      api_version: 'authentication/v2',
      metadata: { name: 'directory' },
      spec: {
        servers: [
          {
            host: '127.0.0.1',
            port: 1,
            security: 'insecure',
            binding: { user_dn: 'cn=mon,dc=example', password: 'a-sealed-password' },
            group_search: { base_dn: 'dc=example' },
            user_search: { base_dn: 'dc=example' },
          },
        ],
      },
    },
  ],
  [
    '/api/enterprise/secrets/v1/namespaces/default/secrets/pager',
    {
      type: 'Secret',
      api_version: 'secrets/v1',
      metadata: { name: 'pager', namespace: 'default' },
      spec: { provider: 'env', id: 'MON_PAGER' },
    },
  ],
];

/** `failing since` beyond the history, a TTL, a pending delivery, one more behind it. */
const postEvents = async (api: ApiClient): Promise<void> => {
  const post = (name: string, check: object, more: object = {}) =>
    api.post(inDefault('events'), {
      entity: proxy(name),
      check: { metadata: { name: 'uplink', namespace: 'default' }, interval: 10, output: 'x', ...check },
      ...more,
    });
  for (let n = 0; n < 25; n += 1) await post('router', { status: n < 2 ? 0 : 2 });
  await post('waiting', { status: 0, ttl: 86_400 });
  await post('held', { status: 1, handlers: ['hold'] });
  await post('held', { status: 2, handlers: ['hold'] });
  await post('quiet', { status: 2, handlers: ['hold'] });
  await api.post(inDefault('events'), {
    entity: proxy('meter'),
    metrics: {
      handlers: ['hold'],
      points: [{ name: 'load', value: 0.5, timestamp: 1_700_000_000, tags: null }],
    },
  });
};

/** Fills a running backend. `earlier` is the URL of its earlier API. An agent runs for a while and is gone in the end. */
export const populate = async (
  backend: Backend,
  earlier: string,
  dir: string,
  license?: object,
): Promise<ApiClient> => {
  const api = await ApiClient.login(backend.api);
  if (license !== undefined) await put(api, '/api/enterprise/licensing/v2/license', license);
  await put(api, '/api/core/v2/users/ada', {
    username: 'ada',
    password: adasPassword,
    groups: ['team'],
  });
  for (const [path, body] of definitions) await put(api, path, body);
  await api.post('/api/core/v2/apikeys', { username: 'ada' });
  await api.post(inDefault('silenced'), {
    metadata: { name: 'entity:quiet:*', namespace: 'default' },
    subscription: 'entity:quiet',
    expire: 86_400,
    reason: 'moving house',
  });
  const authorization = basic('admin', adminPassword);
  const result = await fetch(`${earlier}/results`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'old-switch', name: 'ports', output: 'down', status: 2, ttl: 86_400 }),
  });
  if (!result.ok) throw new Error(`POST /results answered ${result.status}: ${await result.text()}`);
  await postEvents(api);
  const agent = startAgent(backend, dir, [
    ...['--name', 'host-1', '--subscriptions', 'linux'],
    ...['--keepalive-warning-timeout', '864000'],
  ]);
  try {
    await eventually(
      'a result of the agent',
      async () => (await api.call('GET', inDefault('events/host-1/rotating'))).ok,
    );
  } finally {
    await agent.kill();
  }
  // Nothing runs from now on: what is observed stays as it is.
  await put(api, inDefault('checks/rotating'), {
    ...{ command: 'true', subscriptions: ['linux'], interval: 86_400, publish: false, round_robin: true },
  });
  await pause(200);
  return api;
};

const readable = resourceKinds.filter(({ path }) => path !== 'entities' && path !== 'events');
/** Of the moment, not of the store. */
const gauges =
  /^mon_backend_(entities|events|large_event_bytes|resources|resource_bytes|deliveries_running) /;

interface ActorPage {
  readonly items?: readonly { readonly id: string }[];
}

export interface Observed {
  /** The same after a move, to the letter. */
  readonly seen: unknown;
  /** When the waits of checks end, milliseconds since the epoch; armed again to the second. */
  readonly waits: Readonly<Record<string, number>>;
  /** Unix milliseconds. */
  readonly lookedAtMs: number;
}

/** Everything that can be observed from outside and should outlive a move of the store. */
export const observe = async (api: ApiClient, backendUrl: string, earlier: string): Promise<Observed> => {
  const lists: Record<string, unknown> = {};
  for (const kind of readable) {
    const path = collectionUrl(kind);
    for (const namespace of path.includes(':namespace') ? ['default', 'ops'] : [''])
      lists[`${kind.path} ${namespace}`] = await api.get(path.replace(':namespace', namespace));
  }
  for (const namespace of ['default', 'ops'])
    for (const what of ['entities', 'events'])
      lists[`${what} ${namespace}`] = await api.get(`/api/core/v2/namespaces/${namespace}/${what}`);
  // With its silences, and since when it fails. The cursor is of the process.
  const { cursor: _cursor, ...worstFirst } = await api.get<{ readonly cursor: string }>(
    '/api/inspect/v1/namespaces/default/events?limit=100',
  );
  lists.worstFirst = worstFirst;
  const license = await api.call('GET', '/api/enterprise/licensing/v2/license');
  lists.license = [license.status, await license.text()];
  lists.ada = (
    await fetch(`${backendUrl}/auth`, { headers: { authorization: basic('ada', adasPassword) } })
  ).status;
  const keys = await api.get<{ readonly metadata: { readonly name: string } }[]>('/api/core/v2/apikeys');
  lists.withKeys = await Promise.all(
    keys.map(
      async ({ metadata }) =>
        (
          await fetch(`${backendUrl}/api/core/v2/namespaces`, {
            headers: { authorization: `Key ${metadata.name}` },
          })
        ).status,
    ),
  );
  const actors = (await api.get<ActorPage>('/api/inspect/v1/actors?namespace=default&limit=100')).items ?? [];
  const states: Record<string, unknown> = {};
  const waits: Record<string, number> = {};
  for (const { id } of actors) {
    if (!/^(check|entity|client):/.test(id)) continue;
    const view = await api.get<{ row: { value: unknown }; deadlines: { name: string; atMs: number }[] }>(
      `/api/inspect/v1/actors/${encodeURIComponent(id)}`,
    );
    states[id] = { value: view.row.value, waits: view.deadlines.map(({ name }) => name).sort() };
    // The outage itself is added to waits for agents; a TTL ends when it would have.
    if (id.startsWith('check:')) for (const { name, atMs } of view.deadlines) waits[`${id} ${name}`] = atMs;
  }
  const authorization = basic('admin', adminPassword);
  const old = async (path: string) =>
    (await fetch(`${earlier}${path}`, { headers: { authorization } })).json() as Promise<unknown>;
  const metrics = await (await fetch(`${backendUrl}/metrics`)).text();
  const seen = {
    lists,
    states,
    earlier: [await old('/clients'), await old('/results')],
    gauges: metrics.split('\n').filter((line) => gauges.test(line)),
  };
  return { seen, waits, lookedAtMs: Date.now() };
};
