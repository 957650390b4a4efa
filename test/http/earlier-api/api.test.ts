// The API of the earlier generation, from outside.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { handlerSchema } from '../../../src/model/pipeline/handler.ts';
import { silencedSchema } from '../../../src/model/silence/silenced.ts';
import { StoreError } from '../../../src/store/snapshot-store.ts';
import { eventually } from '../../client/helpers.ts';
import { type LiveBackend, openLiveBackend, password } from './live-backend.ts';

let live: LiveBackend;
before(async () => {
  live = await openLiveBackend();
});
after(() => live.close());
beforeEach(async () => {
  for (const { name } of live.backend.clients.list()) await live.backend.deleteClient(name);
});

const basic = (user: string, secret: string) =>
  `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

const ask = async (method: string, path: string, body?: unknown, user = 'admin') => {
  const reply = await fetch(live.url + path, {
    method,
    headers: {
      Authorization: basic(user, password),
      ...(body === undefined ? {} : { 'Content-Type': 'x/y' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return {
    code: reply.status,
    text,
    headers: reply.headers,
    json: text === '' ? undefined : JSON.parse(text),
  };
};

test('a body of 1 MiB is read, one byte more is 413 and says so', async () => {
  const bodyOf = (bytes: number) => {
    const shell = JSON.stringify({ path: 'x', content: { text: '' } }).length;
    return { path: 'x', content: { text: 'x'.repeat(bytes - shell) } };
  };
  const read = await ask('POST', '/stashes', bodyOf(1_048_576));
  assert.deepEqual(
    [read.code, read.headers.get('x-error')],
    [400, 'content has 1048553 bytes as JSON, but a stash is limited to 65536'],
  );
  for (const bytes of [1_048_577, 4_000_000]) {
    const refused = await ask('POST', '/results', bodyOf(bytes));
    assert.equal(refused.code, 413);
    assert.equal(refused.headers.get('x-error'), 'the body is larger than 1048576 bytes');
    assert.equal(refused.text, '');
  }
});

const hear = (name = 'c1', more: object = {}) =>
  live.backend.clients.keepalive(
    { name, address: 'a', subscriptions: ['web'], version: '1', timestamp: 1, ...more },
    'websocket',
  );
const take = (check: object, more: object = {}) =>
  live.backend.clients.result({
    client: 'c1',
    check: { name: 'cpu', output: 'x', status: 0, ...check },
    ...more,
  });

test('requests without a password or permission are rejected', async () => {
  const none = await fetch(`${live.url}/clients`);
  assert.equal(none.status, 401);
  assert.equal(none.headers.get('www-authenticate'), 'Basic realm="Restricted Area"');
  assert.equal(await none.text(), '');
  const wrong = await fetch(`${live.url}/info`, { headers: { Authorization: basic('admin', 'wrong') } });
  assert.equal(wrong.status, 401);
  assert.equal((await ask('GET', '/checks', undefined, 'agent')).code, 403);
  const options = await fetch(`${live.url}/clients`, { method: 'OPTIONS' });
  assert.deepEqual([options.status, await options.text()], [200, '']);
});

test('unknown paths, other methods and invalid bodies are reported by status only', async () => {
  const unknown = await ask('GET', '/nothing');
  assert.deepEqual([unknown.code, unknown.text], [404, '']);
  const method = await ask('POST', '/health', {});
  assert.deepEqual([method.code, method.headers.get('allow')], [405, 'GET, HEAD']);
  for (const body of ['', '{', '[]', '5'])
    assert.equal((await ask('POST', '/results', body)).code, 400, body);
  assert.equal((await ask('GET', '/clients/%E0%A4%A')).code, 404);
  const echoed = await fetch(`${live.url}/health`, {
    headers: { Authorization: basic('admin', password), 'X-Request-ID': 'r-1' },
  });
  assert.equal(echoed.headers.get('x-request-id'), 'r-1');
  assert.equal(echoed.headers.get('connection'), 'close');
});

test('clients are listed, shown without secrets, made and deleted', async () => {
  await hear('c2');
  await hear('c1', { signature: 'S1', password: 'p', redact: ['mine'], mine: 1 });
  const list = await ask('GET', '/clients');
  assert.deepEqual(
    list.json.map(({ name }: { name: string }) => name),
    ['c1', 'c2'],
  );
  const shown = await ask('GET', '/clients/c1');
  assert.equal(shown.json.mine, 'REDACTED');
  assert.equal(shown.json.password, 'p');
  assert.ok(!shown.text.includes('S1'));
  assert.equal((await ask('GET', '/clients/none')).code, 404);
  const made = await ask('POST', '/clients', { name: 'c3', address: 'x', custom: 1 });
  assert.deepEqual([made.code, made.json], [201, { name: 'c3' }]);
  const stored = (await ask('GET', '/clients/c3')).json;
  assert.deepEqual([stored.keepalives, stored.subscriptions, stored.custom], [false, ['client:c3'], 1]);
  for (const body of [{ name: 'a b', address: 'x' }, { name: 'c4' }, {}])
    assert.equal((await ask('POST', '/clients', body)).code, 400);
  const gone = await ask('DELETE', '/clients/c3');
  assert.equal(gone.code, 202);
  assert.equal(typeof gone.json.issued, 'number');
  assert.equal((await ask('GET', '/clients/c3')).code, 404);
  assert.equal((await ask('DELETE', '/clients/c3')).code, 404);
});

test('lists come in pages and filtered', async () => {
  for (const name of ['a', 'b', 'c']) await hear(name, { rack: { row: name === 'b' ? 2 : 1 } });
  const page = await ask('GET', '/clients?limit=1&offset=1');
  assert.deepEqual([page.json.length, page.json[0].name], [1, 'b']);
  assert.equal(page.headers.get('x-pagination'), '{"limit":1,"offset":1,"total":3}');
  const filtered = await ask('GET', '/clients?filter.rack.row=2');
  assert.deepEqual(
    filtered.json.map(({ name }: { name: string }) => name),
    ['b'],
  );
});

test('results and events are shown, with history and what their owner added', async () => {
  await hear();
  await take({ status: 2, pager: { team: 'x' } });
  await take({ status: 2, pager: { team: 'x' } });
  await take({ name: 'fine' });
  const results = (await ask('GET', '/results/c1')).json as { check: { name: string; history: number[] } }[];
  assert.deepEqual(
    results.map(({ check }) => [check.name, check.history]),
    [
      ['cpu', [2, 2]],
      ['fine', [0]],
      ['keepalive', [0]],
    ],
  );
  assert.equal((await ask('GET', '/results')).json.length, 3);
  assert.deepEqual((await ask('GET', '/results/c1/cpu')).json.check.pager, { team: 'x' });
  for (const base of ['/events', '/incidents']) {
    const events = await ask('GET', base);
    assert.equal(events.json.length, 1);
    const [event] = events.json;
    assert.deepEqual([event.client.name, event.check.name, event.action], ['c1', 'cpu', 'create']);
    assert.deepEqual([event.check.history, event.occurrences], [['2', '2'], 2]);
    assert.equal((await ask('GET', `${base}/c1`)).json.length, 1);
    assert.equal((await ask('GET', `${base}/c1/cpu`)).code, 200);
    assert.equal((await ask('GET', `${base}/c1/fine`)).code, 404);
  }
  const history = (await ask('GET', '/clients/c1/history')).json;
  assert.deepEqual(history[0].history, [2, 2]);
  assert.equal(history[0].last_status, 2);
  assert.equal((await ask('DELETE', '/results/c1/fine')).code, 204);
  assert.equal((await ask('DELETE', '/results/c1/fine')).code, 404);
});

test('an event can be resolved, in two ways', async () => {
  await hear('c1', { signature: 'S1' });
  await take({ status: 2 }, { signature: 'S1' });
  assert.equal((await ask('POST', '/resolve', { client: 'c1', check: 'cpu' })).code, 202);
  const result = (await ask('GET', '/results/c1/cpu')).json;
  assert.deepEqual([result.check.status, result.check.output], [0, 'Resolving on request of the API']);
  assert.equal((await ask('POST', '/resolve', { client: 'c1', check: 'cpu' })).code, 404);
  assert.equal((await ask('POST', '/resolve', { client: 'c1' })).code, 400);
  await take({ status: 1 }, { signature: 'S1' });
  assert.equal((await ask('DELETE', '/events/c1/cpu')).code, 202);
  assert.deepEqual((await ask('GET', '/events')).json, []);
});

test('a result can be posted', async () => {
  const posted = await ask('POST', '/results', {
    name: 'app',
    output: 'x',
    status: 1,
    source: 'site',
    executed: 5,
  });
  assert.equal(posted.code, 202);
  const { check } = (await ask('GET', '/results/site/app')).json;
  assert.equal(check.status, 1);
  assert.notEqual(check.executed, 5);
  assert.equal((await ask('POST', '/results', { name: 'app' })).code, 400);
  assert.equal((await ask('POST', '/results', { name: 'a b', output: '' })).code, 400);
  assert.equal((await ask('POST', '/results', { name: 'a', output: '', status: 'x' })).code, 400);
});

test('checks are shown and asked for; deleting one deletes its results', async () => {
  await live.define('disk', { command: 'disk', subscriptions: ['web'], handlers: ['mail'] });
  const shown = (await ask('GET', '/checks/disk')).json;
  assert.deepEqual(
    [shown.name, shown.command, shown.subscribers, shown.interval],
    ['disk', 'disk', ['web'], 3_600],
  );
  assert.ok((await ask('GET', '/checks')).json.length >= 1);
  assert.equal((await ask('GET', '/checks/none')).code, 404);
  const asked = await ask('POST', '/request', { check: 'disk', reason: 'why not', creator: 'ada' });
  assert.equal(asked.code, 202);
  assert.equal((await ask('POST', '/request', { check: 'none' })).code, 404);
  assert.equal((await ask('POST', '/request', {})).code, 400);
  assert.equal((await ask('POST', '/request', { check: 'disk', subscribers: 'web' })).code, 400);
  await hear();
  await take({ name: 'disk' });
  assert.equal((await ask('DELETE', '/checks/disk')).code, 202);
  assert.equal((await ask('GET', '/results/c1/disk')).code, 404);
});

test('silences are the same ones as everywhere, in the earlier words', async (t) => {
  const namespace = { segment: 'namespaces', namespace: '', name: 'elsewhere' };
  await live.backend.resources.put(namespace, { name: 'elsewhere' });
  const elsewhere = { segment: 'silenced', namespace: 'elsewhere', name: '*:cpu' };
  await live.backend.resources.put(elsewhere, {
    ...silencedSchema.parse({ metadata: { name: '*:cpu', namespace: 'elsewhere' }, check: 'cpu' }),
  });
  t.after(async () => {
    await live.backend.resources.delete(elsewhere);
    await live.backend.resources.delete(namespace);
  });
  assert.equal((await ask('POST', '/silenced', { subscription: 'web', expire: 60, reason: 'r' })).code, 201);
  assert.equal((await ask('POST', '/silenced', { check: 'cpu' })).code, 201);
  for (const body of [
    {},
    { subscription: 'a b' },
    { check: 'cpu', expire: -1 },
    { check: 'cpu', begin: 'x' },
  ])
    assert.equal((await ask('POST', '/silenced', body)).code, 400);
  const list = (await ask('GET', '/silenced')).json as { id: string; expire: number }[];
  assert.deepEqual(list.map(({ id }) => id).sort(), ['*:cpu', 'web:*']);
  assert.equal(list.find(({ id }) => id === '*:cpu')?.expire, -1);
  const one = (await ask('GET', '/silenced/ids/web:*')).json;
  assert.deepEqual([one.subscription, one.check, one.reason, one.creator], ['web', null, 'r', 'admin']);
  assert.ok(one.expire > 50 && one.expire <= 60);
  assert.equal((await ask('GET', '/silenced/subscriptions/web')).json.length, 1);
  assert.equal((await ask('GET', '/silenced/checks/cpu')).json.length, 1);
  await hear();
  await take({ name: 'other', status: 2 });
  const event = (await ask('GET', '/events/c1/other')).json;
  assert.deepEqual([event.silenced, event.silenced_by], [true, ['web:*']]);
  assert.equal((await ask('POST', '/silenced/clear', { id: 'web:*' })).code, 204);
  assert.equal((await ask('POST', '/silenced/clear', { check: 'cpu' })).code, 204);
  assert.equal((await ask('POST', '/silenced/clear', { check: 'cpu' })).code, 404);
  assert.equal((await ask('POST', '/silenced/clear', {})).code, 400);
});

test('a silence ends by itself where the backend asks for that, and lasts no longer than it allows', async (t) => {
  const strict = await openLiveBackend({ silencing: { defaultExpireSeconds: 60, maxExpireSeconds: 100 } });
  t.after(() => strict.close());
  const at = (path: string, body?: object) =>
    fetch(strict.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: basic('admin', password) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  assert.equal((await at('/silenced', { check: 'cpu', expire: 101 })).status, 400);
  assert.equal((await at('/silenced', { check: 'cpu' })).status, 201);
  const [silence] = (await (await at('/silenced')).json()) as { expire: number }[];
  assert.ok(silence !== undefined && silence.expire > 0 && silence.expire <= 60);
});

test('while nothing can be stored, that is what is answered; afterwards all is well', async (t) => {
  let isFull = false;
  const beforeCommit = () => {
    if (isFull) throw new StoreError('full', 'no space left');
  };
  const tight = await openLiveBackend({}, { beforeCommit });
  t.after(() => tight.close());
  const post = async () => {
    const reply = await fetch(`${tight.url}/stashes`, {
      method: 'POST',
      headers: { Authorization: basic('admin', password) },
      body: '{"path":"a","content":{}}',
    });
    return [reply.status, await reply.json()];
  };
  isFull = true;
  assert.deepEqual(await post(), [500, { error: 'not connected to redis' }]);
  isFull = false;
  assert.deepEqual(await post(), [201, { path: 'a' }]);
});

test('info and health', async () => {
  const info = (await ask('GET', '/info')).json;
  assert.equal(info.sensu.version, '0.1.0');
  assert.deepEqual(info.transport.keepalives, { messages: 0, consumers: 1 });
  assert.equal((await ask('GET', '/health')).code, 204);
  assert.equal((await ask('GET', '/health?consumers=1&messages=10')).code, 204);
  const bad = await ask('GET', '/health?consumers=2');
  assert.equal(bad.code, 412);
  assert.deepEqual(bad.json, [
    'keepalive consumers (1) less than min_consumers (2)',
    'result consumers (1) less than min_consumers (2)',
  ]);
  const head = await fetch(`${live.url}/info`, {
    method: 'HEAD',
    headers: { Authorization: basic('admin', password) },
  });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

test('a registration handler receives an event for a new client', async () => {
  const registration = handlerSchema.parse({
    metadata: { name: 'registration', namespace: 'default' },
    type: 'pipe',
    command: 'true',
  });
  const id = { segment: 'handlers', namespace: 'default', name: 'registration' };
  await live.backend.resources.put(id, registration as never);
  await hear('fresh');
  await eventually(() =>
    live.told.some(({ entity, check }) => entity === 'fresh' && check === 'registration'),
  );
  await live.backend.resources.delete(id);
});
