// What the unmodified command line of the reference product asks for beside plain resources, and what its dumps hold.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { addUser } from './harness.ts';
import { openRealHouse } from './real-house.ts';

const open = async (t: TestContext) => {
  const house = await openRealHouse(t);
  await addUser(house.backend.resources, 'nobody', 'nobody-password');
  const admin = await house.login();
  const ask = async (method: string, path: string, body?: unknown, headers: object = {}) => {
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization: admin, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  return { house, ask };
};

test('the reporting setting of the reference product is kept and given back', async (t) => {
  const { house, ask } = await open(t);
  const url = '/api/core/v2/tessen';
  assert.deepEqual(await ask('GET', url), { status: 200, text: '{"opt_out":true}' });
  const wrapped = { type: 'TessenConfig', api_version: 'core/v2', metadata: {}, spec: { opt_out: false } };
  for (const [body, kept] of [
    [{ opt_out: false }, false],
    [{ opt_out: true }, true],
    [wrapped, false],
  ] as const) {
    assert.equal((await ask('PUT', url, body)).status, 200);
    assert.deepEqual(await ask('GET', url), { status: 200, text: JSON.stringify({ opt_out: kept }) });
  }
  assert.equal((await ask('PUT', url, { opt_out: 'maybe' })).status, 400);
  const authorization = await house.login('nobody', 'nobody-password');
  for (const method of ['GET', 'PUT'])
    assert.equal((await ask(method, url, method === 'PUT' ? {} : undefined, { authorization })).status, 403);
});

test('the system namespace of the reference product is created when a dump writes into it', async (t) => {
  const { house, ask } = await open(t);
  const entity = {
    metadata: { name: 'backend-7', namespace: 'sensu-system' },
    entity_class: 'backend',
    subscriptions: [],
  };
  const put = (headers: object) =>
    ask('PUT', '/api/core/v2/namespaces/sensu-system/entities/backend-7', entity, headers);
  assert.equal((await put({ authorization: await house.login('nobody', 'nobody-password') })).status, 403);
  assert.equal(house.backend.resources.hasNamespace('sensu-system'), false);
  assert.equal((await ask('GET', '/api/core/v2/namespaces/sensu-system/checks')).text, '[]');
  assert.equal(house.backend.resources.hasNamespace('sensu-system'), false);
  assert.equal((await put({})).status, 200);
  assert.equal((await ask('GET', '/api/core/v2/namespaces/sensu-system')).status, 200);
  const event = { entity, check: { metadata: { name: 'secrets' }, interval: 60, status: 0 } };
  const events = '/api/core/v2/namespaces/sensu-system/events';
  assert.equal((await ask('PUT', `${events}/backend-7/secrets`, event)).status, 201);
  const elsewhere = '/api/core/v2/namespaces/other/entities/backend-7';
  const other = { ...entity, metadata: { name: 'backend-7', namespace: 'other' } };
  assert.equal((await ask('PUT', elsewhere, other)).status, 404);
});

test('a rejected login is plain text, or JSON on request', async (t) => {
  const { ask } = await open(t);
  const wrong = { authorization: `Basic ${Buffer.from('admin:wrong-password').toString('base64')}` };
  assert.deepEqual(await ask('GET', '/auth', undefined, wrong), { status: 401, text: 'Unauthorized\n' });
  const json = { accept: 'application/json' };
  assert.deepEqual(await ask('GET', '/auth', undefined, { ...wrong, ...json }), {
    status: 401,
    text: '{"message":"Unauthorized","code":5}',
  });
  assert.deepEqual(await ask('GET', '/auth/test', undefined, { ...wrong, ...json }), {
    status: 401,
    text: '{"message":"Request unauthorized","code":5}',
  });
});

test('a threshold without tags says so', async (t) => {
  const { ask } = await open(t);
  const url = '/api/core/v2/namespaces/default/checks/disk';
  const rule = { min: '', max: '9', status: 1 };
  await ask('PUT', url, {
    metadata: { name: 'disk', namespace: 'default' },
    command: 'true',
    interval: 60,
    subscriptions: ['linux'],
    output_metric_thresholds: [{ name: 'm', null_status: 0, thresholds: [rule] }],
  });
  const { text } = await ask('GET', url);
  assert.deepEqual(JSON.parse(text).output_metric_thresholds, [
    { name: 'm', tags: null, null_status: 0, thresholds: [rule] },
  ]);
});
