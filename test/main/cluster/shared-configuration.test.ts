// Two backends with their APIs on one store, over a bus that loses and doubles what it carries: what is configured on one holds
// on the other, and what both change at once is never lost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { realClock } from '../../../src/actors/runtime/time/clock.ts';
import { type BusFaults, MemoryBusServer } from '../../../src/cluster/memory-bus.ts';
import { subjectsOf } from '../../../src/cluster/subjects.ts';
import { shareConfiguration } from '../../../src/main/cluster/shared-configuration.ts';
import type { CheckConfig } from '../../../src/model/check/check.ts';
import { openMongoStore } from '../../../src/store/mongo-store.ts';
import { eventually } from '../../eventually.ts';
import { openRealHouse, type RealHouse, realAdmin, realPassword } from '../../http/real-house.ts';
import { seeded } from '../../property.ts';
import { startFastMongodb } from '../../store/mongodb-server.ts';

const lossy: BusFaults = { lost: 0.3, doubled: 0.3, maxDelayMs: 20 };
const server = await startFastMongodb();
after(() => server.stop());
let databases = 0;

const openTwo = async (t: TestContext, faults: BusFaults = lossy) => {
  databases += 1;
  const url = `${server.url}/mon_shared_${process.pid}_${databases}`;
  const bus = new MemoryBusServer({ clock: realClock, random: seeded(1) });
  bus.faults = faults;
  const key = randomBytes(32);
  const open = async (name: string): Promise<RealHouse> => {
    const store = await openMongoStore({ url });
    t.after(() => store.close());
    const shared = shareConfiguration({
      store,
      bus: bus.connect(name),
      subject: subjectsOf('test').changed,
      clock: realClock,
      random: Math.random,
      sender: `${name}.1`,
      report: () => {},
    });
    t.after(() => shared.close());
    const house = await openRealHouse(t, {
      store,
      shared: shared.records,
      encryptionKeys: () => [key],
    });
    shared.follow({ table: house.backend.resources, logins: house.api.logins });
    return house;
  };
  const b1 = await open('b1');
  const b2 = await open('b2');
  return { b1, b2, bus };
};

const ask = async (
  { url }: RealHouse,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: token,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
};

/** Until the assertion holds. */
const soon = (look: () => unknown) =>
  eventually('it holds on the other backend', async () => {
    try {
      await look();
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) return undefined;
      throw error;
    }
  });

const checks = '/api/core/v2/namespaces/default/checks';
const check = (name: string, more: object = {}) => ({
  metadata: { name, namespace: 'default' },
  command: 'true',
  subscriptions: ['linux'],
  interval: 60,
  publish: true,
  ...more,
});

test('what is written, changed and deleted on one backend holds on the other', async (t) => {
  const { b1, b2 } = await openTwo(t);
  const token = await b1.login();
  const there = () => ask(b2, token, 'GET', `${checks}/cpu`);
  const seen: (CheckConfig | undefined)[] = [];
  b2.backend.resources.watch('checks', (change) =>
    seen.push(change.type === 'put' ? (change.resource as unknown as CheckConfig) : undefined),
  );
  assert.equal((await ask(b1, token, 'POST', checks, check('cpu'))).status, 201);
  await soon(async () => assert.equal((await there()).body?.interval, 60));
  assert.equal((await ask(b1, token, 'PUT', `${checks}/cpu`, check('cpu', { interval: 30 }))).status, 201);
  await soon(async () => assert.equal((await there()).body?.interval, 30));
  assert.equal((await ask(b1, token, 'DELETE', `${checks}/cpu`)).status, 204);
  await soon(async () => assert.equal((await there()).status, 404));
  await soon(() => assert.equal(seen.at(-1), undefined));
  assert.deepEqual(
    seen.map((config) => config?.interval),
    [60, 30, undefined],
    'watchers hear of each change once, as if it had been made here',
  );
});

test('changes of one resource on both backends at once: none that was answered with 2xx is lost', async (t) => {
  const { b1, b2 } = await openTwo(t);
  const token = await b1.login();
  assert.equal((await ask(b1, token, 'POST', checks, check('cpu', { env_vars: [] }))).status, 201);
  const table = (house: RealHouse) => house.backend.resources;
  const id = { segment: 'checks', namespace: 'default', name: 'cpu' };
  await soon(() => assert.ok(table(b2).get('checks', 'default', 'cpu')));
  const add = (house: RealHouse, text: string) =>
    table(house).update(id, (current) => ({
      ...current,
      env_vars: [...(current.env_vars as string[]), text],
    }));
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => [add(b1, `A=${index}`), add(b2, `B=${index}`)]).flat(),
  );
  for (const house of [b1, b2])
    await soon(() => {
      const kept = table(house).get('checks', 'default', 'cpu')?.env_vars as string[];
      assert.equal(new Set(kept).size, 40);
      assert.equal(kept.length, 40);
    });
});

test('If-Match holds across backends, also before the other one has heard of the change', async (t) => {
  // Nothing is heard at all.
  const { b1, b2, bus } = await openTwo(t, { lost: 0, doubled: 0, maxDelayMs: 0 });
  const token = await b1.login();
  await ask(b1, token, 'POST', checks, check('cpu'));
  await soon(async () => assert.equal((await ask(b2, token, 'GET', `${checks}/cpu`)).status, 200));
  bus.faults = { lost: 1, doubled: 0, maxDelayMs: 0 };
  const etag = (await ask(b2, token, 'GET', `${checks}/cpu`)).headers.get('etag') ?? '';
  assert.equal((await ask(b1, token, 'PUT', `${checks}/cpu`, check('cpu', { interval: 30 }))).status, 201);
  const late = await ask(b2, token, 'PUT', `${checks}/cpu`, check('cpu', { interval: 10 }), {
    'If-Match': etag,
  });
  assert.equal(late.status, 412);
  assert.equal((await ask(b2, token, 'GET', `${checks}/cpu`)).body.interval, 30, 'the refusal read it');
  const twice = await ask(b2, token, 'POST', checks, check('disk'));
  assert.equal(twice.status, 201);
  assert.equal((await ask(b1, token, 'POST', checks, check('disk'))).status, 409);
  assert.equal((await ask(b1, token, 'DELETE', `${checks}/disk`)).status, 204);
  // What was deleted and created again is not what the other one knows.
  await ask(b1, token, 'POST', checks, check('disk', { interval: 5 }));
  const stale = (await ask(b2, token, 'GET', `${checks}/disk`)).headers.get('etag') ?? '';
  const over = await ask(b2, token, 'PUT', `${checks}/disk`, check('disk'), { 'If-Match': stale });
  assert.equal(over.status, 412);
});

test('a namespace is not deleted while another backend creates something in it', async (t) => {
  const { b1, b2, bus } = await openTwo(t);
  bus.faults = { lost: 1, doubled: 0, maxDelayMs: 0 };
  const token = await b1.login();
  await ask(b1, token, 'POST', '/api/core/v2/namespaces', { name: 'ops' });
  await b2.backend.resources.readAllAgain();
  const body = { ...check('cpu'), metadata: { name: 'cpu', namespace: 'ops' } };
  const path = '/api/core/v2/namespaces/ops/checks';
  assert.equal((await ask(b2, token, 'POST', path, body)).status, 201);
  assert.equal((await ask(b1, token, 'DELETE', '/api/core/v2/namespaces/ops')).status, 409);
  assert.equal((await ask(b2, token, 'DELETE', `${path}/cpu`)).status, 204);
  assert.equal((await ask(b1, token, 'DELETE', '/api/core/v2/namespaces/ops')).status, 204);
  assert.equal((await ask(b2, token, 'POST', path, body)).status, 404, 'the other has not heard of it');
  assert.equal(await b1.backend.committer.latest('resource', 'checks/ops/cpu'), undefined);
});

test('logins, password changes, roles and API keys hold on every backend', async (t) => {
  const { b1, b2 } = await openTwo(t);
  const token = await b1.login();
  assert.equal(
    (await ask(b2, token, 'GET', checks)).status,
    200,
    'at once: a load balancer may send it anywhere',
  );
  const key = await ask(b1, token, 'POST', '/api/core/v2/apikeys', { username: realAdmin });
  const name = (key.headers.get('location') ?? '').split('/').at(-1) ?? '';
  const byKey = () => ask(b2, `Key ${name}`, 'GET', checks);
  await soon(async () => assert.equal((await byKey()).status, 200));
  assert.equal((await ask(b1, token, 'DELETE', `/api/core/v2/apikeys/${name}`)).status, 204);
  await soon(async () => assert.equal((await byKey()).status, 401));
  const old = await b2.login();
  const changed = await ask(b1, token, 'PUT', `/api/core/v2/users/${realAdmin}/change_password`, {
    password: realPassword,
    password_new: 'another-horse-battery',
  });
  assert.ok(changed.status < 300, `${changed.status}`);
  await soon(async () => assert.equal((await ask(b2, old, 'GET', checks)).status, 401));
  await soon(async () => assert.match(await b2.login(realAdmin, 'another-horse-battery'), /^Bearer ey/));
});

test('a refresh token works once, whichever backends it is given to', async (t) => {
  const { b1, b2 } = await openTwo(t);
  const basic = Buffer.from(`${realAdmin}:${realPassword}`).toString('base64');
  type Pair = { readonly access_token: string; readonly refresh_token: string };
  const login = await fetch(`${b1.url}/auth`, { headers: { Authorization: `Basic ${basic}` } });
  let pair = (await login.json()) as Pair;
  const renew = ({ url }: RealHouse, { access_token, refresh_token }: Pair) =>
    fetch(`${url}/auth/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ refresh_token }),
    });
  for (const house of [b2, b1, b1, b2, b1, b2]) {
    const reply = await renew(house, pair);
    assert.equal(reply.status, 200);
    pair = (await reply.json()) as Pair;
  }
  const [one, other] = await Promise.all([renew(b1, pair), renew(b2, pair)]);
  assert.equal([one.status, other.status].filter((status) => status === 200).length, 1);
});
