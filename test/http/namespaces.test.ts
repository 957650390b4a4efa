// Namespaces: what comes with them, and when they may go.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openHouse } from './harness.ts';

const check = (name = 'cpu', extra: object = {}) => ({
  command: 'true',
  interval: 60,
  publish: true,
  subscriptions: ['linux'],
  metadata: { name, namespace: 'default' },
  ...extra,
});

test('a namespace comes with its role and is deleted only when nothing is left in it', async (t) => {
  const house = await openHouse(t);
  const namespaces = '/api/core/v2/namespaces';
  assert.equal((await house.ask('POST', namespaces, { body: { name: 'blue' } })).status, 201);
  assert.equal((await house.ask('POST', namespaces, { body: { name: 'blue' } })).status, 409);
  assert.equal((await house.ask('PUT', `${namespaces}/blue`, { body: { name: 'blue' } })).status, 201);
  assert.deepEqual((await house.ask('GET', `${namespaces}/blue`)).json, { name: 'blue' });
  const roles = await house.ask('GET', `${namespaces}/blue/roles`);
  assert.deepEqual(
    roles.json.map((role: { metadata: { name: string } }) => role.metadata.name),
    ['system:pipeline'],
  );
  await house.ask('POST', `${namespaces}/blue/checks`, {
    body: check('x', { metadata: { name: 'x', namespace: 'blue' } }),
  });
  const occupied = await house.ask('DELETE', `${namespaces}/blue`);
  assert.equal(occupied.status, 409);
  assert.match(occupied.json.message, /namespace is not empty: \w+ holds checks x/);
  await house.ask('DELETE', `${namespaces}/blue/checks/x`);
  assert.equal((await house.ask('DELETE', `${namespaces}/blue`)).status, 204);
  assert.equal((await house.ask('GET', `${namespaces}/blue`)).status, 404);
  assert.equal(house.backend.resources.list('roles', { namespace: 'blue' }).items.length, 0);
  const names = async (as: string, path = namespaces) =>
    (await house.ask('GET', path, { as })).json.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names('admin'), ['default', 'other']);
  assert.deepEqual(await names('viewer'), ['default']);
  assert.deepEqual(await names('nobody'), []);
  assert.deepEqual(await names('viewer', '/api/enterprise/user-namespaces'), ['default']);
  const read = async (as: string, name: string) =>
    (await house.ask('GET', `${namespaces}/${name}`, { as })).status;
  assert.deepEqual(await Promise.all([read('viewer', 'default'), read('viewer', 'other')]), [200, 404]);
  assert.deepEqual(await Promise.all([read('nobody', 'default'), read('admin', 'other')]), [404, 200]);
});

test('a resource that is being written keeps its namespace from being deleted', async (t) => {
  const house = await openHouse(t);
  const { resources } = house.backend;
  const release = house.holdStore();
  const id = { segment: 'checks', namespace: 'other', name: 'late' };
  const write = resources.put(id, check('late'));
  const removal = assert.rejects(
    resources.delete({ segment: 'namespaces', namespace: '', name: 'other' }),
    /not empty/,
  );
  await removal;
  release();
  await write;
  assert.ok(resources.get('checks', 'other', 'late'));
});
