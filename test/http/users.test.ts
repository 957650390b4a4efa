// Users and their API keys: hashed at rest, told once, gone at once.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openHouse } from './harness.ts';

test('an API key is returned once in Location, authenticates, and ends when it is deleted', async (t) => {
  let house = await openHouse(t);
  const keys = '/api/core/v2/apikeys';
  const made = await house.ask('POST', keys, { body: { username: 'admin' } });
  assert.equal(made.status, 201);
  assert.equal(made.text, '');
  const location = made.headers.get('location') ?? '';
  assert.match(location, /^\/api\/core\/v2\/apikeys\/[0-9a-f-]{36}$/);
  const key = location.split('/').at(-1) ?? '';
  const withKey = (value: string) => ({ as: null, headers: { Authorization: `Key ${value}` } });
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 200);
  assert.equal((await house.ask('GET', keys, withKey(`${key}x`))).status, 401);
  const read = await house.ask('GET', location);
  assert.deepEqual(read.json, {
    metadata: { name: key, created_by: 'admin' },
    username: 'admin',
    created_at: Math.floor(house.clock.nowMs / 1000),
  });
  const at = house.stored();
  assert.ok(!at.includes(key), 'the key stands readable in the store');

  house = await house.restart();
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 200);

  const patch = (body: object) =>
    house.ask('PATCH', location, { body, headers: { 'Content-Type': 'application/merge-patch+json' } });
  assert.equal((await patch({ username: 'viewer' })).json.username, 'viewer');
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 403, 'now it is a key of the viewer');
  assert.equal((await patch({ username: 'stranger' })).status, 400);
  assert.equal((await house.ask('DELETE', location)).status, 204);
  assert.equal((await house.ask('GET', keys, withKey(key))).status, 401);
  assert.equal((await house.ask('GET', location)).status, 404);
  assert.equal((await house.ask('PUT', location, { body: {} })).status, 405);
  for (const body of [{}, { username: 'stranger' }, { username: 7 }, '"x"', '{']) {
    assert.equal((await house.ask('POST', keys, { body })).status, 400, JSON.stringify(body));
  }
});

test('users are stored hashed, read without secrets, disabled instead of removed', async (t) => {
  const house = await openHouse(t);
  const users = '/api/core/v2/users';
  const body = { username: 'alice', password: 'correct horse', groups: ['ops'] };
  assert.equal((await house.ask('POST', users, { body })).status, 201);
  assert.equal((await house.ask('POST', users, { body })).status, 409);
  assert.deepEqual((await house.ask('GET', `${users}/alice`)).json, {
    username: 'alice',
    groups: ['ops'],
    disabled: false,
  });
  assert.ok(!house.stored().includes('correct horse'));
  const logIn = async (password: string) =>
    (
      await house.ask('GET', '/auth/test', {
        as: null,
        headers: { Authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}` },
      })
    ).status;
  assert.equal(await logIn('correct horse'), 200);
  assert.equal((await house.ask('PUT', `${users}/alice/groups/dev`)).status, 201);
  assert.equal((await house.ask('DELETE', `${users}/alice/groups/ops`)).status, 204);
  assert.deepEqual((await house.ask('GET', `${users}/alice`)).json.groups, ['dev']);
  assert.equal((await house.ask('DELETE', `${users}/alice/groups`)).status, 204);
  assert.equal((await house.ask('DELETE', `${users}/alice`)).status, 204);
  assert.equal((await house.ask('GET', `${users}/alice`)).json.disabled, true);
  assert.equal(await logIn('correct horse'), 401);
  assert.equal((await house.ask('PUT', `${users}/alice/reinstate`)).status, 201);
  const { hashOf } = await import('./harness.ts');
  const reset = { username: 'alice', password_hash: hashOf('battery staple').replace('$2b$', '$2a$') };
  assert.equal((await house.ask('PUT', `${users}/alice/reset_password`, { body: reset })).status, 201);
  assert.equal(await logIn('correct horse'), 401);
  assert.equal(await logIn('battery staple'), 200);
  for (const [sent, message] of [
    [{ username: 'bob', password: 'short' }, /at least 8 characters/],
    [{ username: 'bob' }, /a password or password_hash is required/],
    [{ username: 'Bob', password: 'long enough' }, /username/],
    [
      { username: 'bob', password: 'long enough', password_hash: hashOf('another one') },
      /does not match its password_hash/,
    ],
    [{ username: 'bob', password: 'x'.repeat(73) }, /longer than 72 bytes/],
    [{ username: 'bob', password_hash: hashOf('x').replace('$04$', '$31$') }, /cost above 16/],
  ] as const) {
    const reply = await house.ask('POST', users, { body: sent });
    assert.equal(reply.status, 400, JSON.stringify(sent));
    assert.match(reply.json.message, message);
  }
  assert.equal((await house.ask('GET', `${users}/bob`)).status, 404);
  assert.equal((await house.ask('PUT', `${users}/bob/reinstate`)).status, 404);
});

test('a user that is read and written back keeps its password and its logins', async (t) => {
  const house = await openHouse(t);
  const users = '/api/core/v2/users';
  const made = { username: 'alice', password: 'correct horse', groups: ['ops'] };
  assert.equal((await house.ask('POST', users, { body: made })).status, 201);
  const Authorization = `Basic ${Buffer.from('alice:correct horse').toString('base64')}`;
  const login = await house.ask('GET', '/auth', { as: null, headers: { Authorization } });
  const headers = { Authorization: `Bearer ${login.json.access_token}` };
  const read = (await house.ask('GET', `${users}/alice`)).json;
  assert.equal((await house.ask('PUT', `${users}/alice`, { body: read })).status, 201);
  const changed = { ...read, groups: ['ops', 'dev'] };
  assert.equal((await house.ask('PUT', `${users}/alice`, { body: changed })).status, 201);
  assert.deepEqual((await house.ask('GET', `${users}/alice`, { as: null, headers })).json, changed);
  assert.equal((await house.ask('GET', '/auth/test', { as: null, headers: { Authorization } })).status, 200);
  assert.equal(
    (await house.ask('PUT', `${users}/alice`, { body: { ...read, password: '' } })).status,
    400,
    'an empty password is one that is given',
  );
});

test('users may read themselves and change their own password only', async (t) => {
  const house = await openHouse(t);
  const users = '/api/core/v2/users';
  assert.equal((await house.ask('GET', `${users}/viewer`, { as: 'viewer' })).status, 200);
  assert.equal((await house.ask('GET', `${users}/admin`, { as: 'viewer' })).status, 403);
  const change = (user: string, password: string) =>
    house.ask('PUT', `${users}/${user}/change_password`, {
      as: 'viewer',
      body: { password, password_new: 'a new password' },
    });
  assert.equal((await change('admin', 'P@ssw0rd!')).status, 403);
  assert.equal((await change('viewer', 'wrong')).status, 400);
  assert.equal((await change('viewer', 'viewer-password')).status, 201);
  assert.equal((await change('viewer', 'viewer-password')).status, 400, 'the old one is no longer right');
  assert.equal(
    (await house.ask('PUT', `${users}/viewer/reset_password`, { as: 'viewer', body: {} })).status,
    403,
  );
});
