// Entities in both forms of the API, over a real socket on the real backend.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { openHouse } from './harness.ts';
import { openRealHouse } from './real-house.ts';

const v2 = '/api/core/v2/namespaces/default/entities';
const configs = '/api/core/v3/namespaces/default/entity-configs';
const states = '/api/core/v3/namespaces/default/entity-states';

const open = async (t: TestContext, entityLimit = 0) => {
  const house = await openRealHouse(t, { entityLimit });
  const authorization = await house.login();
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const reply = await fetch(house.url + path, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      etag: reply.headers.get('etag') ?? '',
      next: reply.headers.get('mon-continue') ?? '',
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };
};

const proxy = {
  entity_class: 'proxy',
  metadata: { name: 'router', labels: { rack: '7', password: 'canary-1' } },
};

test('the answer to a patch hides what a read hides, and names the state a read names', async (t) => {
  const ask = await open(t);
  await ask('POST', v2, proxy);
  const patched = await ask('PATCH', `${v2}/router`, { metadata: { labels: { rack: '8' } } });
  assert.equal(patched.status, 200);
  assert.equal(patched.json.metadata.labels.rack, '8');
  assert.doesNotMatch(patched.text, /canary-1/);
  const read = await ask('GET', `${v2}/router`);
  assert.equal(patched.etag, read.etag);
  const again = await ask('PUT', `${v2}/router`, read.json, { 'if-match': patched.etag });
  assert.equal(again.status, 200, 'what a patch named is what a replace may name');
  assert.equal(again.etag, read.etag, 'a hidden value that was sent back is the one that was there');
});

test('core/v3 shows the two halves, each wrapped, of what core/v2 shows as one', async (t) => {
  const ask = await open(t);
  await ask('POST', v2, { ...proxy, subscriptions: ['net'], system: { hostname: 'router', os: 'linux' } });
  const config = await ask('GET', `${configs}/router`);
  assert.equal(config.status, 200);
  assert.deepEqual([config.json.type, config.json.api_version], ['EntityConfig', 'core/v3']);
  assert.deepEqual(config.json.metadata.labels, { rack: '7', password: 'REDACTED' });
  assert.deepEqual(config.json.spec.subscriptions, ['net', 'entity:router']);
  assert.equal(config.json.spec.system, undefined);
  const state = await ask('GET', `${states}/router`);
  assert.deepEqual([state.json.type, state.json.spec.system.os], ['EntityState', 'linux']);
  assert.equal(state.json.spec.subscriptions, undefined);
  for (const root of [configs, states]) {
    assert.equal((await ask('GET', `${root}/nobody`)).status, 404);
    assert.equal((await ask('GET', root)).json.length, 1);
    assert.equal((await ask('GET', root.replace('/namespaces/default', ''))).json.length, 1);
    assert.equal((await ask('GET', `${root}?fieldSelector=entity.entity_class=='agent'`)).json.length, 0);
  }
  assert.equal((await ask('PUT', `${states}/router`, {})).status, 405, 'what agents report is read only');
});

test('core/v3 writes the half that operators set, and nothing of what was reported', async (t) => {
  const ask = await open(t);
  const wrapped = (spec: object) => ({
    type: 'EntityConfig',
    api_version: 'core/v3',
    metadata: { name: 'router', namespace: 'default' },
    spec: { entity_class: 'proxy', ...spec },
  });
  const made = await ask('PUT', `${configs}/router`, wrapped({}), { 'if-none-match': '*' });
  assert.deepEqual([made.status, made.text], [201, '']);
  assert.equal(made.etag, (await ask('GET', `${configs}/router`)).etag);
  assert.equal((await ask('PUT', `${configs}/router`, wrapped({}), { 'if-none-match': '*' })).status, 412);
  const patched = await ask('PATCH', `${configs}/router`, {
    spec: { subscriptions: ['net'] },
    metadata: { labels: { rack: '7' } },
  });
  assert.equal(patched.status, 200);
  assert.deepEqual(patched.json.spec.subscriptions, ['net', 'entity:router']);
  assert.deepEqual((await ask('GET', `${v2}/router`)).json.metadata.labels, { rack: '7' });
  for (const [body, why] of [
    [{ ...wrapped({}), type: 'EntityState' }, /type must be "EntityConfig"/],
    [{ ...wrapped({}), api_version: 'core/v2' }, /api_version must be "core\/v3"/],
    [{ ...wrapped({}), metadata: { name: 'other' } }, /does not match the name of the URI/],
    [wrapped({ subscriptions: 5 }), /subscriptions must be a list/],
    [5, /must be a JSON object/],
  ] as const) {
    const reply = await ask('PUT', `${configs}/router`, body);
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.json.message, why);
  }
  assert.equal((await ask('PATCH', `${configs}/router`, { spec: 5 })).status, 400);
  assert.equal((await ask('DELETE', `${configs}/router`, undefined, { 'if-match': '"x"' })).status, 412);
  assert.equal((await ask('DELETE', `${configs}/router`)).status, 204);
  assert.equal((await ask('GET', `${v2}/router`)).status, 404);
});

test('core/v3 lists page, and the entity limit holds there too', async (t) => {
  const ask = await open(t, 3);
  for (const name of ['a', 'b', 'c']) await ask('PUT', `${v2}/${name}`, { entity_class: 'proxy' });
  const first = await ask('GET', `${configs}?limit=2`);
  assert.equal(first.json.length, 2);
  const last = await ask('GET', `${configs}?limit=2&continue=${first.next}`);
  assert.deepEqual(
    last.json.map((one: { metadata: { name: string } }) => one.metadata.name),
    ['c'],
  );
  assert.equal(last.next, '');
  assert.equal((await ask('PUT', `${configs}/d`, { entity_class: 'proxy' })).status, 402);
});

test('entities keep what the agent reported when an operator changes them', async (t) => {
  const house = await openHouse(t, { entityLimit: 2 });
  const entities = '/api/core/v2/namespaces/default/entities';
  const body = {
    entity_class: 'proxy',
    metadata: { name: 'sw', namespace: 'default' },
    subscriptions: ['net'],
  };
  const made = await house.ask('POST', entities, { body });
  assert.equal(made.status, 200);
  assert.deepEqual(made.json.subscriptions, ['net', 'entity:sw']);
  assert.equal((await house.ask('POST', entities, { body })).status, 409);
  await house.backend.putEntity(
    {
      ...(await house.backend.readEntity('default', 'sw')),
      entity_class: 'agent',
      last_seen: 42,
      metadata: { name: 'web', namespace: 'default', labels: { password: 'canary', region: 'eu' } },
    } as never,
    { create: false },
  );
  const put = await house.ask('PUT', `${entities}/web`, {
    body: { entity_class: 'agent', metadata: { name: 'web' }, subscriptions: ['a'] },
  });
  assert.equal(put.status, 200, put.text);
  assert.equal(put.json.last_seen, 42);
  assert.equal(put.json.mon_agent_version, put.json.sensu_agent_version);
  const patch = await house.ask('PATCH', `${entities}/web`, {
    body: { metadata: { labels: { secret: 'x' } } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  assert.equal(patch.status, 200, patch.text);
  assert.equal(patch.json.last_seen, undefined, 'the answer is the configuration half');
  const read = await house.ask('GET', `${entities}/web`);
  assert.equal(read.json.metadata.labels.secret, 'REDACTED');
  assert.equal(read.json.last_seen, 42);
  await house.ask('PUT', `${entities}/web`, { body: read.json });
  const kept = await house.backend.readEntity('default', 'web');
  assert.equal(kept?.metadata.labels?.secret, 'x', 'what was read as REDACTED and written back is kept');
  await house.ask('PATCH', `${entities}/web`, {
    body: { metadata: { labels: { 'sensu.io/managed_by': 'sensu-agent' } } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  const managed = await house.ask('PUT', `${entities}/web`, {
    body: {
      entity_class: 'agent',
      metadata: { name: 'web', labels: { 'sensu.io/managed_by': 'sensu-agent' } },
    },
  });
  assert.equal(managed.status, 409);
  assert.deepEqual(managed.json, { message: 'entity web is managed by its agent', code: 3 });
  const over = await house.ask('POST', entities, { body: { metadata: { name: 'third' } } });
  assert.equal(over.status, 402);
  assert.equal(over.json.code, 6);
  assert.match(over.json.message, /a valid license with a sufficient entity limit is required/);
  assert.equal((await house.ask('GET', entities)).json.length, 2);
  assert.equal((await house.ask('DELETE', `${entities}/sw`)).status, 204);
  assert.equal((await house.ask('DELETE', `${entities}/sw`)).status, 404);
  assert.equal((await house.ask('PUT', `${entities}/x`, { body: '{' })).status, 400);
});
