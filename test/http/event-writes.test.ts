// Events that clients of the API write, over the real backend: what was read, changed and written back takes effect, and what
// comes from another backend keeps its past.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { parseEvent } from '../../src/model/event/event-parse.ts';
import { eventually } from '../eventually.ts';
import { openRealHouse } from './real-house.ts';

const inDefault = '/api/core/v2/namespaces/default';
const base = `${inDefault}/events`;

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents of the interface, read field by field
  readonly json: any;
}

const open = async (t: TestContext, options: { entityLimit?: number } = {}) => {
  const house = await openRealHouse(t, options);
  const authorization = await house.login();
  const ask = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) };
  };
  const read = async (entity: string, check: string) => (await ask('GET', `${base}/${entity}/${check}`)).json;
  const put = async (event: object, entity: string, check: string) =>
    assert.equal((await ask('PUT', `${base}/${entity}/${check}`, event)).status, 201);
  return { ask, read, put, backend: house.backend };
};

const event = (entity: object, check: object, more: object = {}) => ({
  entity: { entity_class: 'proxy', metadata: { name: 'web-01' }, ...entity },
  check: { metadata: { name: 'cpu' }, interval: 60, status: 0, output: 'ok', ...check },
  ...more,
});

/** As the reference product's command line does it. */
const resolved = (read: { check: object }) => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const check = { ...read.check, status: 0, output: 'Resolved manually', executed: nowSeconds };
  return { ...read, timestamp: nowSeconds, check };
};

test('an event that was read, changed and written back takes effect; the same body again counts once', async (t) => {
  const { ask, read, put } = await open(t);
  assert.equal((await ask('POST', base, event({}, { status: 2, output: 'down' }))).status, 201);
  const failing = await read('web-01', 'cpu');
  await put(resolved(failing), 'web-01', 'cpu');
  const passing = await read('web-01', 'cpu');
  assert.deepEqual(
    [passing.id, passing.check.status, passing.check.output],
    [failing.id, 0, 'Resolved manually'],
  );
  assert.deepEqual([passing.check.state, passing.check.history.length], ['passing', 2]);

  const again = { ...failing, check: { ...failing.check, output: 'down again' } };
  await put(again, 'web-01', 'cpu');
  await put(again, 'web-01', 'cpu');
  assert.deepEqual((await read('web-01', 'cpu')).check.history.length, 3);
  // A body sent before the last one is not a retry.
  await put(resolved(passing), 'web-01', 'cpu');
  await put(again, 'web-01', 'cpu');
  const last = await read('web-01', 'cpu');
  assert.deepEqual([last.check.history.length, last.check.output], [5, 'down again']);
});

test('an unmodified copy is one more result', async (t) => {
  const { ask, read, put } = await open(t);
  await ask('POST', base, event({}, { status: 1 }));
  for (const count of [2, 3]) {
    await put(await read('web-01', 'cpu'), 'web-01', 'cpu');
    assert.equal((await read('web-01', 'cpu')).check.occurrences, count);
  }
});

test('the event of an agent is resolved while results of the agent go on; a frame sent again counts once', async (t) => {
  const { read, put, backend } = await open(t);
  const id = '3f0c1d52-6a53-4f3c-8c55-111111111111';
  const send = () => {
    const raw = event({ entity_class: 'agent' }, { status: 2, executed: 100 }, { id });
    const frame = parseEvent(raw, { namespace: 'default' });
    assert.ok(frame.ok);
    return new Promise<string>((resolve) =>
      backend.acceptFrame('event', frame.value, ({ type }) => resolve(type)),
    );
  };
  assert.equal(await send(), 'done');
  await put(resolved(await read('web-01', 'cpu')), 'web-01', 'cpu');
  assert.equal((await read('web-01', 'cpu')).check.status, 0);
  assert.equal(await send(), 'done');
  assert.equal((await read('web-01', 'cpu')).check.status, 0, 'the frame was applied before');
});

test('a keepalive event is resolved, and changed, like any other', async (t) => {
  const { ask, read, put } = await open(t);
  const alive = event(
    { entity_class: 'agent' },
    { metadata: { name: 'keepalive' }, interval: 20, timeout: 120 },
  );
  const stamped = { ...alive, timestamp: Math.floor(Date.now() / 1000) };
  assert.equal((await ask('POST', base, stamped)).status, 201);
  const well = await eventually('the keepalive event', async () => {
    const found = await ask('GET', `${base}/web-01/keepalive`);
    return found.status === 200 ? found.json : undefined;
  });
  assert.equal((await ask('GET', `${inDefault}/entities/web-01`)).json.entity_class, 'agent');
  await put({ ...well, check: { ...well.check, status: 1, output: 'not heard' } }, 'web-01', 'keepalive');
  const failing = await read('web-01', 'keepalive');
  assert.deepEqual([failing.check.state, failing.check.output], ['failing', 'not heard']);
  await put(resolved(failing), 'web-01', 'keepalive');
  const after = await read('web-01', 'keepalive');
  assert.deepEqual([after.check.state, after.check.output], ['passing', 'Resolved manually']);
});

test('an event of an unknown entity creates a proxy entity, whatever class it has', async (t) => {
  const { ask, read, put } = await open(t, { entityLimit: 3 });
  await put(
    event({ entity_class: 'agent', metadata: { name: 'a1', labels: { rack: '7' } } }, {}),
    'a1',
    'cpu',
  );
  const entity = await ask('GET', `${inDefault}/entities/a1`);
  assert.deepEqual(
    [entity.json.entity_class, entity.json.subscriptions, entity.json.metadata.labels],
    ['proxy', ['entity:a1'], { rack: '7' }],
  );
  assert.equal((await read('a1', 'cpu')).entity.entity_class, 'proxy');
  const metrics = { points: [{ name: 'm', value: 1, timestamp: 1 }] };
  const measured = { entity: { entity_class: 'agent', metadata: { name: 'a2' } }, metrics };
  assert.equal((await ask('POST', base, measured)).status, 201);
  assert.equal((await ask('GET', `${inDefault}/entities/a2`)).json.entity_class, 'proxy');
  // A known one is as it is known.
  await put(event({ entity_class: 'agent', metadata: { name: 'a1' } }, { status: 1 }), 'a1', 'cpu');
  assert.deepEqual((await read('a1', 'cpu')).entity.metadata.labels, { rack: '7' });
  assert.equal(
    (await ask('POST', base, event({ entity_class: 'agent', metadata: { name: 'a3' } }, {}))).status,
    201,
  );
  assert.equal(
    (await ask('POST', base, event({ entity_class: 'agent', metadata: { name: 'a4' } }, {}))).status,
    402,
  );
});

const trace = (ask: (method: string, path: string) => Promise<Reply>, entity: string, check: string) =>
  eventually('the trace', async () => {
    const found = await ask('GET', `${base}/${entity}/${check}/trace`);
    return found.status === 200 ? found.json : undefined;
  });

const handler = (name: string) => ({
  metadata: { name, namespace: 'default' },
  type: 'pipe',
  command: 'true',
  timeout: 10,
});

test('handlers of metrics that a posted event names are called', async (t) => {
  const { ask, read, put } = await open(t);
  for (const name of ['graphs', 'people', 'own']) await ask('POST', `${inDefault}/handlers`, handler(name));
  const called = async (check: string): Promise<readonly string[]> =>
    (await trace(ask, 'web-01', check)).workflows.map(({ name }: { name: string }) => name);
  const points = [{ name: 'm', value: 1, timestamp: 1, tags: [] }];
  const posted = (name: string, check: object, more: object = {}) =>
    ask('POST', base, event({}, { metadata: { name }, output_metric_handlers: ['graphs'], ...check }, more));
  await posted('a', {}, { metrics: { handlers: ['own', 'graphs'], points } });
  assert.deepEqual(await called('a'), ['graphs', 'own']);
  await posted('b', { handlers: ['people'], status: 1 });
  assert.deepEqual(await called('b'), ['graphs', 'people']);
  // A copy of a stored event has no metrics, so resolving an alert produces no metric data.
  await put(resolved(await read('web-01', 'b')), 'web-01', 'b');
  const after = await eventually('the resolution', async () => {
    const found = await trace(ask, 'web-01', 'b');
    return found.workflows.length === 1 ? found : undefined;
  });
  assert.equal(after.workflows[0].name, 'people');
});

test('an event from another backend keeps its history, and its alert is not sent again', async (t) => {
  const { ask, read, put } = await open(t);
  await ask('POST', `${inDefault}/handlers`, handler('people'));
  const history = [0, 0, 2, 2, 2].map((status, index) => ({ status, executed: 1_700_000_000 + index * 60 }));
  const dumped = event(
    {},
    {
      handlers: ['people'],
      status: 2,
      executed: 1_700_000_240,
      state: 'failing',
      history,
      occurrences: 3,
      occurrences_watermark: 3,
      last_ok: 1_700_000_060,
    },
    { id: '3f0c1d52-6a53-4f3c-8c55-222222222222', timestamp: 1_700_000_240 },
  );
  await put(dumped, 'web-01', 'cpu');
  const { check, timestamp } = await read('web-01', 'cpu');
  assert.deepEqual(check.history, history);
  assert.deepEqual(
    [check.state, check.occurrences, check.occurrences_watermark, check.last_ok, timestamp],
    ['failing', 3, 3, 1_700_000_060, 1_700_000_240],
  );
  const kept = await trace(ask, 'web-01', 'cpu');
  assert.deepEqual(
    [kept.workflows, kept.summary],
    [[], 'imported with its history: handlers are called from the next result on'],
  );
  // Sent again, for the answer was lost: still the same.
  await put(dumped, 'web-01', 'cpu');
  assert.equal((await read('web-01', 'cpu')).check.occurrences, 3);
  await ask('POST', base, event({}, { handlers: ['people'], status: 2, executed: 1_700_000_300 }));
  assert.equal((await read('web-01', 'cpu')).check.occurrences, 4);
  const told = await eventually('the next result told', async () => {
    const found = await trace(ask, 'web-01', 'cpu');
    return found.workflows.length > 0 ? found : undefined;
  });
  assert.equal(told.workflows[0].name, 'people');
});
