// Silences: named after what they silence, and gone from sight once over.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openHouse } from './harness.ts';

test('silences are named after what they silence and vanish when they expire', async (t) => {
  const house = await openHouse(t);
  const silenced = '/api/core/v2/namespaces/default/silenced';
  const now = Math.floor(house.clock.nowMs / 1000);
  const body = { metadata: { name: 'whatever', namespace: 'default' }, subscription: 'linux', expire: 60 };
  assert.equal((await house.ask('POST', silenced, { body })).status, 201);
  assert.equal((await house.ask('POST', silenced, { body })).status, 409);
  for (const name of ['linux:*', 'linux%3A%2A']) {
    const read = await house.ask('GET', `${silenced}/${name}`);
    assert.equal(read.status, 200, name);
    assert.equal(read.json.metadata.name, 'linux:*');
    assert.equal(read.json.creator, 'admin');
    assert.equal(read.json.begin, now);
    assert.equal(read.json.expire_at, now + 60);
  }
  await house.ask('POST', silenced, { body: { check: 'cpu' } });
  assert.equal((await house.ask('GET', `${silenced}/*:cpu`)).json.expire, -1);
  assert.equal((await house.ask('GET', `${silenced}/subscriptions/linux`)).json.length, 1);
  assert.equal((await house.ask('GET', `${silenced}/subscriptions/lin`)).json.length, 0);
  assert.equal((await house.ask('GET', `${silenced}/checks/cpu`)).json.length, 1);
  assert.equal((await house.ask('GET', '/api/core/v2/silenced/checks/cpu')).json.length, 1);
  assert.equal(
    (await house.ask('PUT', `${silenced}/linux:*`, { body: { ...body, metadata: {}, expire: 30 } })).status,
    201,
  );
  const other = await house.ask('PUT', `${silenced}/linux:*`, { body: { metadata: {}, check: 'disk' } });
  assert.equal(other.status, 400);
  assert.equal(
    (await house.ask('POST', silenced, { body: {} })).json.message,
    'resource is invalid: must provide check or subscription',
  );
  house.clock.nowMs += 31_000;
  assert.equal((await house.ask('GET', `${silenced}/linux:*`)).status, 404);
  assert.equal((await house.ask('GET', silenced)).json.length, 1);
  assert.equal((await house.ask('GET', `${silenced}/subscriptions/linux`)).json.length, 0);
  assert.equal((await house.ask('DELETE', `${silenced}/*:cpu`)).status, 204);
  assert.equal((await house.ask('PATCH', `${silenced}/*:cpu`)).status, 405);
});
