import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import type { InspectionAccess } from '../../../src/http/inspect/request.ts';
import { registerInspection } from '../../../src/http/inspect/routes.ts';
import { MonError } from '../../../src/model/errors.ts';
import { eventually } from '../../eventually.ts';
import { createFakeSystem } from './fake-system.ts';
import { sampleMachine } from './sample-machine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON the server gave
type Answer = any;

const start = async (t: TestContext, options: { allowControl?: boolean } = {}) => {
  const system = createFakeSystem([{ machine: sampleMachine, title: 'Sample' }]);
  const audits: Record<string, unknown>[] = [];
  const asked: InspectionAccess[] = [];
  const denied = new Set<string>();
  // An aborted fetch leaves an empty connection behind, which a polite close would wait for.
  const app = Fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_024 } });
  app.setErrorHandler((error, _request, reply) => {
    const known = error instanceof MonError ? error : new MonError('internal', String(error));
    return reply.code(known.status).send({ message: known.message, code: known.code });
  });
  registerInspection(app, {
    port: system.port,
    allowControl: options.allowControl ?? false,
    audit: (fields) => audits.push({ ...fields }),
    identify: async () => 'ann',
    authorize: async (_request, access) => {
      asked.push(access);
      if (denied.has(access.verb)) throw new MonError('permissionDenied');
      return 'ann';
    },
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const get = async (path: string) => {
    const response = await fetch(`${url}/api/inspect/v1${path}`);
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const post = async (path: string, body: unknown = {}) => {
    const response = await fetch(`${url}/api/inspect/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  return { system, app, url, get, post, audits, asked, denied };
};

const id = 'sample:default/web-01/cpu';
const path = `/actors/${encodeURIComponent(id)}`;

test('machines come as graphs', async (t) => {
  const { get } = await start(t);
  const { body } = await get('/machines');
  assert.equal(body[0].id, 'sample');
  assert.ok(body[0].transitions.length > 10);
});

test('machines are cached by the client and revalidated with an ETag', async (t) => {
  const { url } = await start(t);
  const first = await fetch(`${url}/api/inspect/v1/machines`);
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"\w+"$/);
  const again = (tag: string) =>
    fetch(`${url}/api/inspect/v1/machines`, { headers: { 'if-none-match': tag } });
  assert.equal((await again(etag)).status, 304);
  assert.equal((await again('"other"')).status, 200);
});

test('a namespace is asked for as a whole, and judged as one', async (t) => {
  const { system, get, asked } = await start(t);
  for (const name of ['sample:default/a/cpu', 'sample:default/b/cpu', 'sample:other/a/cpu', 'boot:backend'])
    system.add(name, sampleMachine);
  const { body } = await get('/actors?namespace=default');
  assert.deepEqual(
    body.items.map((row: { id: string }) => row.id),
    ['sample:default/a/cpu', 'sample:default/b/cpu'],
  );
  assert.equal(asked.at(-1)?.namespace, 'default');
});

test('actors are searched, sorted and paged by the server', async (t) => {
  const { system, get } = await start(t);
  for (let n = 0; n < 25; n += 1) {
    const actor = system.add(`sample:default/web-${String(n).padStart(2, '0')}/cpu`, sampleMachine);
    actor.mailbox = n;
  }
  system.add('sample:other/db/cpu', sampleMachine);
  const first = await get('/actors?prefix=sample:default/&sort=mailbox&limit=10');
  assert.equal(first.body.total, 25);
  assert.deepEqual(
    first.body.items.map((row: { mailbox: number }) => row.mailbox),
    [24, 23, 22, 21, 20, 19, 18, 17, 16, 15],
  );
  const last = await get(`/actors?prefix=sample:default/&sort=mailbox&limit=10&continue=20`);
  assert.equal(last.body.items.length, 5);
  assert.equal(last.body.next, undefined);
  assert.equal((await get('/actors?search=DB')).body.total, 1);
  assert.equal((await get('/actors?state=lamp.off')).body.total, 26);
  assert.equal((await get('/actors?state=lamp.on')).body.total, 0);
});

test('a wrong query names the field', async (t) => {
  const { get } = await start(t);
  const { status, body } = await get('/actors?sort=colour');
  assert.equal(status, 400);
  assert.match(body.message, /^sort: /);
});

test('one actor shows where it stands, what it would act on and what it did since it is watched', async (t) => {
  const { system, get } = await start(t);
  system.add(id, sampleMachine);
  system.send(id, { type: 'note' });
  const before = await get(path);
  assert.deepEqual(before.body.active, [
    'sample',
    'sample.road',
    'sample.road.start',
    'sample.lamp',
    'sample.lamp.on',
  ]);
  assert.deepEqual(before.body.history, []);
  assert.ok(before.body.next.some((option: { event: string }) => option.event === 'go'));
  system.send(id, { type: 'go', n: 1 } as { type: string });
  const after = await get(path);
  assert.equal(after.body.history.length, 1);
  assert.deepEqual(after.body.history[0].taken, ['sample.road.start|go|2']);
  assert.deepEqual(after.body.history[0].event, { type: 'go', n: 1 });
});

test('an actor that is not here is 404 and says so', async (t) => {
  const { get } = await start(t);
  const { status, body } = await get(path);
  assert.equal(status, 404);
  assert.match(body.message, /no running actor sample:default\/web-01\/cpu/);
});

test('actors are watched only on request, and released when the stream ends', async (t) => {
  const { system, get, url } = await start(t);
  system.add(id, sampleMachine);
  assert.equal(system.observerCount(), 0);
  await get('/actors');
  assert.equal(system.observerCount(), 0);
  const leave = new AbortController();
  await fetch(`${url}/api/inspect/v1/stream?actors=${encodeURIComponent(id)}`, { signal: leave.signal });
  assert.equal(system.observerCount(), 1);
  assert.equal((await get('/system')).body.streams, 1);
  leave.abort();
  await eventually('its stream is gone', async () => (await get('/system')).body.streams === 0);
});

test('a closing server ends its streams without waiting for their readers', {
  timeout: 20_000,
}, async (t) => {
  const system = createFakeSystem([{ machine: sampleMachine, title: '' }]);
  system.add(id, sampleMachine);
  const app = Fastify();
  registerInspection(app, {
    port: system.port,
    allowControl: false,
    audit: () => {},
    identify: async () => 'ann',
    authorize: async () => 'ann',
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const path = `/api/inspect/v1/stream?actors=${encodeURIComponent(id)}`;
  const { end } = await new Promise<{ end: Promise<unknown> }>((opened) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      const end = new Promise((done) => response.on('end', done));
      response.once('data', () => opened({ end }));
      response.resume();
    });
  });
  await app.close();
  await end;
  assert.equal(system.observerCount(), 0);
});

test('a dry run tells what would happen and moves nothing', async (t) => {
  const { system, post, get } = await start(t);
  system.add(id, sampleMachine);
  const { body } = await post(`${path}/dry-run`, { event: { type: 'go', n: 1 } });
  assert.deepEqual(body.to, { road: { middle: 'first' }, lamp: 'off' });
  assert.deepEqual(
    body.candidates.map((one: { verdict: string; taken: boolean }) => [one.verdict, one.taken]),
    [
      ['no', false],
      ['no', false],
      ['yes', true],
    ],
  );
  const crash = await post(`${path}/dry-run`, { event: { type: 'go', n: 11 } });
  assert.match(crash.body.error, /no idea/);
  assert.equal(crash.body.candidates[0].why, 'no idea');
  assert.deepEqual((await get(path)).body.row.value, { road: 'start', lamp: 'off' });
  const refused = await post(`${path}/dry-run`, { event: {} });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /event\.type/);
});

test('control is refused and audited unless the backend allows it', async (t) => {
  const { system, post, audits } = await start(t);
  system.add(id, sampleMachine);
  const { status, body } = await post(`${path}/send`, { event: { type: 'note' } });
  assert.equal(status, 403);
  assert.match(body.message, /--inspect-control/);
  assert.deepEqual(
    audits.map((line) => [line.user, line.action, line.outcome]),
    [['ann', 'send', 'off']],
  );
});

test('allowed control works, and each use is audited without secrets', async (t) => {
  const { system, post, audits, get } = await start(t, { allowControl: true });
  system.add(id, sampleMachine);
  await post(`${path}/send`, { event: { type: 'note', password: 'hunter2' } });
  assert.deepEqual((await get(path)).body.row.value, { road: 'start', lamp: 'on' });
  assert.deepEqual((await post(`${path}/pause`)).body, { paused: true });
  assert.deepEqual((await post(`${path}/resume`)).body, { paused: false });
  assert.equal((await post(`${path}/restart`)).status, 200);
  assert.equal((await post(`${path}/stop`)).status, 200);
  assert.equal((await post(`${path}/stop`)).status, 404);
  assert.deepEqual(
    audits.map((line) => `${line.action} ${line.outcome}`),
    ['send done', 'pause done', 'resume done', 'restart done', 'stop done', 'stop failed'],
  );
  assert.ok(!JSON.stringify(audits).includes('hunter2'));
  const kept = (await get('/audit')).body;
  assert.deepEqual(
    kept
      .map(({ user, actor, action, outcome }: Answer) => `${user} ${actor} ${action} ${outcome}`)
      .slice(0, 2),
    [`ann ${id} stop failed`, `ann ${id} stop done`],
  );
  assert.match(kept[0].why, /no running actor/);
  assert.ok(!JSON.stringify(kept).includes('hunter2'));
});

test('each route asks for its right, in the namespace of the actor', async (t) => {
  const { system, get, post, asked, denied } = await start(t, { allowControl: true });
  system.add(id, sampleMachine);
  denied.add('inspect:get').add('inspect:control').add('get');
  const routes: [string, string][] = [
    ['get', '/actors'],
    ['get', '/tree'],
    ['get', path],
    ['get', `/stream?actors=${encodeURIComponent(id)}`],
    ['get', '/system'],
    ['get', '/traces/default/web-01/cpu'],
    ['post', `${path}/dry-run`],
    ['post', `${path}/send`],
    ['get', '/audit'],
    ['post', `${path}/pause`],
    ['post', `${path}/resume`],
    ['post', `${path}/restart`],
    ['post', `${path}/stop`],
  ];
  for (const [method, route] of routes) {
    const answer = method === 'get' ? await get(route) : await post(route, { event: { type: 'note' } });
    assert.equal(answer.status, 403, `${method} ${route}`);
  }
  assert.deepEqual(asked[2], {
    verb: 'inspect:get',
    resource: 'actors',
    namespace: 'default',
    resourceName: id,
  });
});

test('the tree is read one supervisor at a time', async (t) => {
  const { system, get } = await start(t);
  const node = {
    kind: 'actor',
    machine: 'sample',
    value: null,
    status: 'active',
    children: 0,
    restarts: 0,
    mailbox: 0,
  } as const;
  system.nodes.set('', [{ ...node, id: 'backend', kind: 'supervisor', children: 1 }]);
  system.nodes.set('backend', [{ ...node, id }]);
  assert.equal((await get('/tree')).body.items[0].id, 'backend');
  assert.equal((await get('/tree?parent=backend')).body.items[0].id, id);
  assert.deepEqual((await get('/tree?parent=backend&from=1')).body, { items: [], total: 1 });
  assert.equal((await get('/tree?limit=0')).status, 400);
  assert.equal((await get('/tree?parent=nobody')).status, 404);
});
