// What a login is worth, and when it ends: with the password it began with, and for agents there is none on the API.
import assert from 'node:assert/strict';
import test from 'node:test';
import { groupsUnder } from '../../src/http/auth/providers/identity.ts';
import type { Log } from '../../src/http/log.ts';
import { silentLog } from '../../src/http/log.ts';
import {
  addUser,
  agentHeaders,
  basicHeader,
  connectAgent,
  grant,
  type House,
  hashOf,
  openHouse,
  refusedHandshake,
} from './harness.ts';

const users = '/api/core/v2/users';
const events = '/api/core/v2/namespaces/default/events';

const login = async (house: House, user: string, password: string) => {
  const headers = { Authorization: basicHeader(user, password) };
  const { status, json } = await house.ask('GET', '/auth', { as: null, headers });
  return { status, access: String(json?.access_token), refresh: String(json?.refresh_token) };
};

const bearer = (access: string) => ({ as: null, headers: { Authorization: `Bearer ${access}` } });

const statusWith = async (house: House, access: string): Promise<number> =>
  (await house.ask('GET', events, bearer(access))).status;

const changes: readonly (readonly [what: string, (house: House, access: string) => Promise<number>])[] = [
  [
    'changed by the user',
    async (house, access) =>
      (
        await house.ask('PUT', `${users}/viewer/change_password`, {
          ...bearer(access),
          body: { password: 'viewer-password', password_new: 'another-password' },
        })
      ).status,
  ],
  [
    'changed by the user, as its hash',
    async (house, access) =>
      (
        await house.ask('PUT', `${users}/viewer/password`, {
          ...bearer(access),
          body: { password: 'viewer-password', password_hash: hashOf('another-password') },
        })
      ).status,
  ],
  [
    'reset by an administrator',
    async (house) =>
      (
        await house.ask('PUT', `${users}/viewer/reset_password`, {
          body: { password_hash: hashOf('another-password') },
        })
      ).status,
  ],
  [
    'replaced with the user by an administrator',
    async (house) =>
      (
        await house.ask('PUT', `${users}/viewer`, {
          body: { username: 'viewer', password: 'another-password', groups: ['viewers'] },
        })
      ).status,
  ],
];

for (const [what, change] of changes)
  test(`a password that is ${what} ends the other logins, at once and after a restart`, async (t) => {
    const house = await openHouse(t);
    const [own, other] = [
      await login(house, 'viewer', 'viewer-password'),
      await login(house, 'viewer', 'viewer-password'),
    ];
    const admin = await login(house, 'admin', 'P@ssw0rd!');
    for (const { access } of [own, other]) assert.equal(await statusWith(house, access), 200);
    assert.equal(await change(house, own.access), 201);
    const isOwn = what.startsWith('changed');
    const after = async (now: House): Promise<void> => {
      assert.equal(await statusWith(now, other.access), 401);
      assert.equal(await statusWith(now, own.access), isOwn ? 200 : 401);
      assert.equal(await statusWith(now, admin.access), 200, 'nobody else is concerned');
      const refresh = { ...bearer(other.access), body: { refresh_token: other.refresh } };
      assert.equal((await now.ask('POST', '/auth/token', refresh)).status, 401);
    };
    await after(house);
    const restarted = await house.restart();
    await after(restarted);
    assert.equal((await login(restarted, 'viewer', 'another-password')).status, 200);
  });

test('a new password ends the agent sessions that came in with the old one', async (t) => {
  const house = await openHouse(t);
  const agent = await connectAgent(t, house);
  const reset = { body: { password_hash: hashOf('another-password') } };
  assert.equal((await house.ask('PUT', `${users}/viewer/reset_password`, reset)).status, 201);
  assert.equal(agent.socket.readyState, agent.socket.OPEN, "another user's password is none of its business");
  assert.equal((await house.ask('PUT', `${users}/agent/reset_password`, reset)).status, 201);
  const { code, reason } = await agent.closed;
  assert.equal(code, 1008);
  assert.match(reason, /agent is no longer allowed to connect/);
  assert.equal((await refusedHandshake(house, agentHeaders())).status, 401);
  await connectAgent(t, house, agentHeaders('web-01', 'default', 'another-password'));
});

test('agents have no API: not by password, not by key, not for their own password; their session works', async (t) => {
  const house = await openHouse(t);
  const basic = { as: null, headers: { Authorization: basicHeader('agent', 'P@ssw0rd!') } };
  const refused = await house.ask('GET', '/auth', basic);
  assert.equal(refused.status, 403);
  assert.match(refused.json.message, /system:agents are for agents/);
  const made = await house.ask('POST', '/api/core/v2/apikeys', { body: { username: 'agent' } });
  const key = made.headers.get('location')?.split('/').at(-1);
  const withKey = { as: null, headers: { Authorization: `Key ${key}` } };
  for (const [method, path] of [
    ['GET', events],
    ['POST', events],
    ['GET', `${users}/agent`],
    ['PUT', `${users}/agent/change_password`],
    ['GET', '/api/core/v2/namespaces'],
    ['GET', '/api/enterprise/user-namespaces'],
  ] as const) {
    const reply = await house.ask(method, path, { ...withKey, ...(method === 'GET' ? {} : { body: {} }) });
    assert.equal(reply.status, 403, `${method} ${path}`);
  }
  // A previous login, or one of a user that becomes an agent: its tokens end as well.
  const { access, refresh } = await login(house, 'viewer', 'viewer-password');
  assert.equal((await house.ask('PUT', `${users}/viewer/groups/system:agents`)).status, 201);
  assert.equal(await statusWith(house, access), 403);
  const renew = { ...bearer(access), body: { refresh_token: refresh } };
  assert.equal((await house.ask('POST', '/auth/token', renew)).status, 403);
  await connectAgent(t, house);
});

test('a provider fills no group of the system, and cluster-admins only where it says so', () => {
  const groups = ['ops', 'system:agents', 'system:users', 'cluster-admins'];
  const plain = { username_prefix: '', groups_prefix: '' };
  assert.deepEqual(groupsUnder(plain, groups), ['ops', 'system:users']);
  assert.deepEqual(groupsUnder({ ...plain, allowed_groups: ['cluster-admins', 'system:agents'] }, groups), [
    'cluster-admins',
    'system:users',
  ]);
  assert.deepEqual(groupsUnder({ ...plain, groups_prefix: 'dir' }, ['cluster-admins', 'ops']), [
    'dir:cluster-admins',
    'dir:ops',
    'system:users',
  ]);
  assert.deepEqual(groupsUnder({ ...plain, groups_prefix: 'system' }, ['agents']), ['system:users']);
});

test('no line of the log holds a key, whatever is done with it', async (t) => {
  const lines: string[] = [];
  const write = (fields: object, text: string): void => void lines.push(JSON.stringify([fields, text]));
  const log: Log = { ...silentLog, debug: write, info: write, warn: write, error: write };
  const house = await openHouse(t, { log });
  const made = await house.ask('POST', '/api/core/v2/apikeys', { body: { username: 'admin' } });
  const location = made.headers.get('location') ?? '';
  const key = location.split('/').at(-1) ?? '';
  assert.equal(made.headers.get('cache-control'), 'no-store');
  const patch = {
    body: { username: 'viewer' },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  };
  assert.equal((await house.ask('GET', location)).status, 200);
  assert.equal((await house.ask('GET', location.replace('apikeys', '%61pikeys'))).status, 200);
  const withKey = { as: null, headers: { Authorization: `Key ${key}` } };
  assert.equal((await house.ask('GET', location, withKey)).status, 200);
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', withKey)).status, 200);
  assert.equal((await house.ask('PATCH', location, patch)).status, 200);
  assert.equal((await house.ask('PUT', location, patch)).status, 405);
  // Requests that no route takes are logged as well.
  for (const [method, path] of [
    ['POST', location],
    ['GET', `${location}/`],
    ['GET', `${location}/more`],
    ['GET', location.replace('/apikeys/', '//APIKEYS//')],
    ['GET', `${location.replace('apikeys', '%61pikeys')}/more`],
    ['GET', `/api/core/v2/namespaces/default/apikeys/${key}`],
  ] as const) {
    const { status } = await house.ask(method, path, method === 'POST' ? { body: {} } : {});
    assert.ok([404, 405].includes(status), `${method} ${path} was answered with ${status}`);
  }
  assert.equal((await house.ask('DELETE', location)).status, 204);
  assert.equal((await house.ask('DELETE', location)).status, 404);
  assert.ok(lines.some((line) => line.includes(`/apikeys/${key.slice(0, 8)}...`)));
  assert.deepEqual(
    lines.filter((line) => line.includes(key)),
    [],
  );
});

test('users can read the namespaces they have access to', async (t) => {
  const house = await openHouse(t);
  await addUser(house.backend.resources, 'stranger', 'a long password');
  await grant(
    house.backend.resources,
    'team',
    { type: 'User', name: 'stranger' },
    [{ verbs: ['get'], resources: ['checks'], resource_names: null }],
    'other',
  );
  const { access } = await login(house, 'stranger', 'a long password');
  const read = async (name: string): Promise<number> =>
    (await house.ask('GET', `/api/core/v2/namespaces/${name}`, bearer(access))).status;
  assert.equal(await read('other'), 200);
  assert.equal(await read('default'), 404);
  assert.equal(await read('no-such'), 404);
});
