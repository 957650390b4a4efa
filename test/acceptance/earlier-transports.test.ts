// One story over every transport of the earlier generation, with and without a backend that is killed in its middle: in the
// end all that can be seen is the same, and so are the handlers that were called.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRabbitmqTransport } from '../../src/wire/earlier/rabbitmq-transport.ts';
import { createRedisTransport } from '../../src/wire/earlier/redis-transport.ts';
import { keepalivesPipe, resultsPipe, type Transport } from '../../src/wire/earlier/transport.ts';
import { createWebSocketTransport } from '../../src/wire/earlier/web-socket-transport.ts';
import { freePort } from '../free-port.ts';
import {
  type Broker,
  rabbitmqSkipReason,
  redisSkipReason,
  startRabbitmq,
  startRedis,
} from '../wire/earlier/brokers.ts';
import { ApiClient, adminPassword, eventually, inDefault, startBackend, tempDir } from './programs.ts';

type Json = Record<string, unknown>;

const credentials = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
const stepMs = 50;
const onFault = (error: unknown) => assert.fail(String(error));

interface Way {
  readonly skip: string | false;
  readonly start?: () => Promise<Broker>;
  readonly transport: (port: number, url: string) => Transport;
}

const ways: Readonly<Record<string, Way>> = {
  websocket: {
    skip: false,
    transport: (port) =>
      createWebSocketTransport({
        url: `ws://127.0.0.1:${port}/transport`,
        user: 'admin',
        password: adminPassword,
        stepMs,
        onFault,
      }),
  },
  redis: {
    skip: redisSkipReason(),
    start: startRedis,
    transport: (_port, url) => createRedisTransport({ redis: url, stepMs, onFault }),
  },
  rabbitmq: {
    skip: rabbitmqSkipReason(),
    start: startRabbitmq,
    transport: (_port, url) => createRabbitmqTransport({ rabbitmq: url, stepMs, onFault }),
  },
};

type Step =
  | { readonly keepalive: Json & { readonly name: string } }
  /** `length`: of the history afterwards. A result without it is refused. */
  | { readonly result: Json; readonly from: string; readonly signature?: string; readonly length?: number }
  | { readonly post: string; readonly body: Json };

const client = (name: string, more: Json = {}) => ({
  name,
  address: 'a',
  subscriptions: ['web'],
  version: '1.9.0',
  timestamp: 1,
  ...more,
});
const check = (name: string, status: number, more: Json = {}) => ({
  name,
  status,
  output: `${name} ${status}`,
  executed: 1_700_000_000,
  ...more,
});
const patient = { handler: 'mail', auto_resolve: false };
const load = { aggregate: 'load' };

const before: readonly Step[] = [
  { keepalive: client('c1', { rack: 7 }) },
  { keepalive: client('c2', { signature: 'S1', subscriptions: ['web', 'db'] }) },
  { post: '/silenced', body: { check: 'quiet', reason: 'r' } },
  { post: '/silenced', body: { subscription: 'db', check: 'late' } },
  { post: '/stashes', body: { path: 'a/b', content: { x: 1 } } },
  { result: check('cpu', 2, load), from: 'c1', length: 1 },
  { result: check('cpu', 2, load), from: 'c1', length: 2 },
  { result: check('disk', 1, patient), from: 'c1', length: 1 },
  { result: check('port', 1, { source: 'sw-1' }), from: 'c1', length: 1 },
  { result: check('cpu', 0, load), from: 'c2', signature: 'S1', length: 1 },
  { result: check('forged', 0), from: 'c2', signature: 'EVIL' },
  { result: check('quiet', 2), from: 'c1', length: 1 },
];
const afterwards: readonly Step[] = [
  { keepalive: client('c1', { rack: 8 }) },
  { keepalive: client('c2', { signature: 'EVIL', address: 'evil' }) },
  { result: check('forged', 0), from: 'c2' },
  { result: check('cpu', 0, load), from: 'c1', length: 3 },
  { result: check('disk', 0, patient), from: 'c1', length: 2 },
  { post: '/resolve', body: { client: 'c1', check: 'disk' } },
  { result: check('port', 2, { source: 'sw-1' }), from: 'c1', length: 2 },
  { result: check('cpu', 2, load), from: 'c2', signature: 'S1', length: 2 },
  { result: check('late', 2), from: 'c2', signature: 'S1', length: 1 },
  { result: check('quiet', 2), from: 'c1', length: 2 },
  { post: '/stashes', body: { path: 'c', content: {} } },
];

const expectedCalls = [
  'default c1/cpu create 2 1',
  'default c1/cpu create 2 2',
  'default c1/cpu resolve 0 2',
  'default c2/cpu create 2 1',
  'default sw-1/port create 1 1',
  'default sw-1/port create 2 1',
  'mail c1/disk create 1 1',
  'mail c1/disk resolve 0 1',
];

/** What differs from run to run: times and ids, by the name of their key. */
const varying = new Set(
  'timestamp executed issued last_execution last_ok last_state_change id last_seen begin duration mon.io/incident'.split(
    ' ',
  ),
);
const alike = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(alike).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value === 'string' && value.startsWith('{')) return alike(JSON.parse(value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, varying.has(key) ? typeof inner : alike(inner)]),
  );
};

const run = (way: Way, isKilled: boolean): Promise<Json> =>
  new Promise((resolve, reject) => {
    tempDir(async (dir) => {
      const broker = await way.start?.();
      const port = await freePort();
      const args = ['--earlier-api-port', String(port)];
      const start = () =>
        startBackend(join(dir, 'state'), [
          ...args,
          ...(broker === undefined ? [] : ['--earlier-brokers', broker.url]),
        ]);
      let backend = await start();
      const transport = way.transport(port, broker?.url ?? '');
      transport.open({ connected: () => {}, lost: () => {}, failed: () => {} });
      try {
        resolve(
          await story({ dir, port, transport, api: () => ApiClient.login(backend.api) }, async () => {
            if (!isKilled) return;
            await backend.program.kill('SIGKILL');
            backend = await start();
          }),
        );
      } finally {
        await transport.close();
        await backend.program.kill('SIGKILL');
        await broker?.stop();
      }
    }).catch(reject);
  });

interface Place {
  readonly dir: string;
  readonly port: number;
  readonly transport: Transport;
  readonly api: () => Promise<ApiClient>;
}

const story = async ({ dir, port, transport, api }: Place, interrupt: () => Promise<void>): Promise<Json> => {
  const ask = (path: string, body?: Json) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: credentials, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const read = async (path: string): Promise<unknown> => {
    const reply = await ask(path);
    assert.equal(reply.status, 200, path);
    return reply.json();
  };
  const up = () =>
    eventually('the transport, and somebody who listens', async () => {
      const health = await ask('/health?consumers=1').catch(() => undefined);
      return transport.isConnected() && health?.status === 204;
    });
  const publish = async (step: Exclude<Step, { readonly post: string }>): Promise<void> => {
    const isKeepalive = 'keepalive' in step;
    const message = isKeepalive
      ? step.keepalive
      : { client: step.from, check: step.result, ...(step.signature ? { signature: step.signature } : {}) };
    await transport.publish(isKeepalive ? keepalivesPipe : resultsPipe, JSON.stringify(message));
  };
  const take = async (step: Step): Promise<void> => {
    if ('post' in step) return void assert.ok((await ask(step.post, step.body)).ok, step.post);
    await publish(step);
    if ('keepalive' in step) {
      const { name, address, rack } = step.keepalive;
      if (address !== 'evil')
        await eventually(`client ${name}`, async () => {
          const reply = await ask(`/clients/${name}`);
          return reply.ok && ((await reply.json()) as Json)['rack'] === rack;
        });
      return;
    }
    const { result, from, length } = step;
    if (length === undefined) return;
    const path = `/results/${result['source'] ?? from}/${result['name']}`;
    await eventually(`${path} with ${length} results`, async () => {
      const reply = await ask(path);
      if (!reply.ok) return false;
      const { check: stored } = (await reply.json()) as { readonly check: { readonly history: unknown[] } };
      if (stored.history.length > length) throw new Error(`${path} has ${stored.history.length} results`);
      return stored.history.length === length;
    });
  };

  const admin = await api();
  for (const name of ['default', 'mail']) {
    const command = `printf '%s %s\\n' ${name} "$(cat)" >> ${join(dir, 'calls')}`;
    const handler = {
      metadata: { name, namespace: 'default' },
      type: 'pipe',
      command,
      mutator: 'earlier_event',
    };
    const reply = await admin.call('PUT', inDefault(`handlers/${name}`), handler);
    assert.ok(reply.ok, await reply.text());
  }
  await up();
  for (const step of before) await take(step);
  // What is not durable yet a crash takes back, and over Redis nobody has it any more.
  await eventually('the commits', async () =>
    /^mon_backend_queue_length\{queue="commits"\} 0$/m.test(
      await (await admin.call('GET', '/metrics')).text(),
    ),
  );
  await interrupt();
  await up();
  for (const step of afterwards) await take(step);

  // No handler may have been called yet: then there is no file.
  const calls = async () =>
    (await readFile(join(dir, 'calls'), { encoding: 'utf8', flag: 'a+' }))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [handler = '', ...rest] = line.split(' ');
        return { handler, event: JSON.parse(rest.join(' ')) };
      });
  const named = async () => [
    ...new Set(
      (await calls()).map(
        ({ handler, event: { client: whose, check: what, action, occurrences } }) =>
          `${handler} ${whose.name}/${what.name} ${action} ${what.status} ${occurrences}`,
      ),
    ),
  ];
  await eventually('the handlers', async () => (await named()).length >= expectedCalls.length);
  const incidents = (await calls()).filter(
    ({ event }) => event.client.name === 'c1' && event.check.name === 'cpu',
  );
  assert.equal(new Set(incidents.map(({ event }) => event.id)).size, 1, 'one incident, one id');

  const paths = [
    '/clients',
    '/results',
    '/events',
    '/aggregates',
    '/aggregates/load',
    '/silenced',
    '/stashes',
  ];
  const seen: [string, unknown][] = [];
  for (const path of [...paths, '/aggregates/load/clients', '/checks', '/clients/c1/history'])
    seen.push([path, await read(path)]);
  const again = await api();
  for (const path of ['entities', 'events', 'silenced', 'handlers'])
    seen.push([path, JSON.parse(JSON.stringify(await again.get(inDefault(path))).replaceAll(dir, ''))]);
  return { calls: (await named()).sort(), ...(alike(Object.fromEntries(seen)) as Json) };
};

let expected: Promise<Json> | undefined;

for (const [name, way] of Object.entries(ways))
  for (const isKilled of [false, true])
    test(`over ${name}${isKilled ? ', with a backend that is killed and started again' : ''}`, {
      skip: way.skip,
    }, async () => {
      expected ??= run(ways['websocket'] as Way, false);
      const first = await expected;
      const seen = name === 'websocket' && !isKilled ? first : await run(way, isKilled);
      assert.deepEqual(seen['calls'], expectedCalls);
      for (const path of Object.keys(first)) assert.deepEqual(seen[path], first[path], path);
    });
