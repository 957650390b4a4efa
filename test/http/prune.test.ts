// Pruning over HTTP: who may, and what is refused before anything is deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRealHouse } from './real-house.ts';

const labels = { 'mon.io/managed_by': 'mon-ctl' };

test('nothing is pruned when the caller may not delete all of it, and wrong questions say what is wrong', async (t) => {
  const { url, login } = await openRealHouse(t);
  const core = `${url}/api/core/v2`;
  const admin = await login();
  const ask = async (authorization: string, method: string, address: string, body?: unknown) => {
    const reply = await fetch(address, {
      method,
      headers: { authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const inside = `${core}/namespaces/default`;
  for (const name of ['one', 'two'])
    await ask(admin, 'PUT', `${inside}/hooks/${name}`, {
      metadata: { name, labels },
      command: 'df',
      timeout: 5,
    });
  await ask(admin, 'PUT', `${core}/users/joe`, { username: 'joe', password: 'joe-password-1' });
  await ask(admin, 'PUT', `${inside}/roles/r`, {
    metadata: { name: 'r' },
    rules: [{ verbs: ['delete'], resources: ['hooks'], resource_names: ['one'] }],
  });
  await ask(admin, 'PUT', `${inside}/rolebindings/r`, {
    metadata: { name: 'r' },
    role_ref: { type: 'Role', name: 'r' },
    subjects: [{ type: 'User', name: 'joe' }],
  });
  const joe = await login('joe', 'joe-password-1');
  const prune = (who: string, query: string, kept: unknown = []) =>
    ask(who, 'POST', `${url}/api/enterprise/prune/v1alpha?types=core/v2.HookConfig&${query}`, kept);
  const refused = await prune(joe, 'allUsers=true');
  assert.equal(refused.status, 403);
  assert.match(refused.text, /joe may not delete hooks two in default/);
  const left = async () => JSON.parse((await ask(admin, 'GET', `${inside}/hooks`)).text).length;
  assert.equal(await left(), 2);
  const kept = {
    type: 'HookConfig',
    api_version: 'core/v2',
    metadata: { name: 'two', namespace: 'default' },
  };
  assert.equal((await prune(joe, 'allUsers=true', kept)).status, 201);
  assert.equal(await left(), 1);
  // What joe wrote: nothing.
  assert.deepEqual(JSON.parse((await prune(joe, '')).text), []);
  assert.match((await prune(admin, 'dryRun=perhaps')).text, /dryRun must be true or false/);
  assert.match((await prune(admin, '', [{ type: 5 }])).text, /resources/);
  const untyped = await ask(admin, 'POST', `${url}/api/enterprise/prune/v1alpha?types=Nonsense`, []);
  assert.match(untyped.text, /there is no type Nonsense/);
});
