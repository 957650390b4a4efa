import assert from 'node:assert/strict';
import test from 'node:test';
import { parseBasic } from '../../src/http/auth/authenticator.ts';
import { createSessions } from '../../src/http/auth/sessions.ts';
import { maxSessionsPerUser } from '../../src/http/limits.ts';
import { maxNameCharacters } from '../../src/model/limits.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { basicHeader, openHouse } from './harness.ts';
import { MemoryCommitter, storeFull } from './memory-committer.ts';

const login = (
  house: Awaited<ReturnType<typeof openHouse>>,
  user: string,
  password: string,
  path = '/auth',
) => house.ask('GET', path, { as: null, headers: { Authorization: basicHeader(user, password) } });

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('a login answers with a token triple that opens the API', async (t) => {
  const house = await openHouse(t);
  const reply = await login(house, 'admin', 'P@ssw0rd!');
  assert.equal(reply.status, 200);
  assert.equal(reply.json.expires_at, Math.floor(house.clock.nowMs / 1000) + 300);
  const list = await house.ask('GET', '/api/core/v2/events', {
    as: null,
    headers: bearer(reply.json.access_token),
  });
  assert.equal(list.status, 200);
  const claims = JSON.parse(Buffer.from(reply.json.access_token.split('.')[1], 'base64url').toString());
  assert.deepEqual(claims.groups, ['cluster-admins', 'system:users']);
  assert.equal(claims.iss, 'mon-backend', 'not what the request says');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
});

test('wrong, unknown and missing credentials are 401 in plain text', async (t) => {
  const house = await openHouse(t);
  for (const [user, password] of [
    ['admin', 'wrong'],
    ['stranger', 'P@ssw0rd!'],
    ['admin', ''],
    ['__proto__', 'x'],
  ] as const) {
    const reply = await login(house, user, password);
    assert.equal(reply.status, 401, user);
    assert.equal(reply.text.trim(), 'Unauthorized');
    assert.equal((await login(house, user, password, '/auth/test')).text.trim(), 'Request unauthorized');
  }
  const missing = await house.ask('GET', '/auth', { as: null });
  assert.equal(missing.status, 401);
  assert.equal(missing.text.trim(), 'Request unauthorized');
  assert.equal((await login(house, 'admin', 'P@ssw0rd!', '/auth/test')).status, 200);
});

test('a disabled user can neither log in nor use the token from before', async (t) => {
  const house = await openHouse(t);
  await house.ask('GET', '/api/core/v2/namespaces/default/events', { as: 'viewer' });
  await house.backend.resources.update({ segment: 'users', namespace: '', name: 'viewer' }, (user) => ({
    ...user,
    disabled: true,
  }));
  const withToken = await house.ask('GET', '/api/core/v2/namespaces/default/events', { as: 'viewer' });
  assert.equal(withToken.status, 401);
  assert.deepEqual(withToken.json, { message: 'invalid credentials', code: 5 });
  assert.equal((await login(house, 'viewer', 'viewer-password')).status, 401);
});

test('an access token ends after five minutes, to the second', async (t) => {
  const house = await openHouse(t);
  await house.ask('GET', '/api/core/v2/events');
  house.clock.nowMs += 299_000;
  assert.equal((await house.ask('GET', '/api/core/v2/events')).status, 200);
  house.clock.nowMs += 1_000;
  assert.equal((await house.ask('GET', '/api/core/v2/events')).status, 401);
});

test('a refresh token works once; the second time ends the whole login', async (t) => {
  const house = await openHouse(t);
  const first = (await login(house, 'admin', 'P@ssw0rd!')).json;
  const refresh = (access: string, token: string) =>
    house.ask('POST', '/auth/token', { as: null, headers: bearer(access), body: { refresh_token: token } });
  house.clock.nowMs += 600_000;
  const second = await refresh(first.access_token, first.refresh_token);
  assert.equal(second.status, 200, second.text);
  assert.equal(second.headers.get('cache-control'), 'no-store');
  assert.notEqual(second.json.refresh_token, first.refresh_token);
  const opens = (token: string) =>
    house.ask('GET', '/api/core/v2/events', { as: null, headers: bearer(token) });
  assert.equal((await opens(second.json.access_token)).status, 200);

  const reuse = await refresh(first.access_token, first.refresh_token);
  assert.equal(reuse.status, 400);
  assert.deepEqual(reuse.json, { message: 'invalid access token', code: 1 });
  assert.equal((await refresh(second.json.access_token, second.json.refresh_token)).status, 401);
  assert.equal((await opens(second.json.access_token)).status, 401);
});

test('a token longer than the headers of a request is refused unread', async (t) => {
  const house = await openHouse(t);
  const { access_token: access } = (await login(house, 'admin', 'P@ssw0rd!')).json;
  const split = t.mock.method(String.prototype, 'split');
  const token = 'a.'.repeat(200_000);
  const answer = await house.ask('POST', '/auth/token', {
    as: null,
    headers: bearer(access),
    body: { refresh_token: token },
  });
  assert.equal(answer.status, 401);
  assert.equal(
    split.mock.calls.some(({ this: text }) => String(text).length >= token.length),
    false,
  );
});

test('of two refreshes with the same token at the same time at most one wins', async (t) => {
  const house = await openHouse(t);
  const { access_token: access, refresh_token: token } = (await login(house, 'admin', 'P@ssw0rd!')).json;
  const ask = () =>
    house.ask('POST', '/auth/token', { as: null, headers: bearer(access), body: { refresh_token: token } });
  const statuses = (await Promise.all([ask(), ask()])).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 400]);
});

test('logout ends the login, its refresh token and its access token', async (t) => {
  const house = await openHouse(t);
  const tokens = (await login(house, 'admin', 'P@ssw0rd!')).json;
  const asking = {
    as: null,
    headers: bearer(tokens.access_token),
    body: { refresh_token: tokens.refresh_token },
  };
  const out = await house.ask('POST', '/auth/logout', asking);
  assert.equal(out.status, 200);
  assert.equal(out.text, '');
  assert.equal((await house.ask('POST', '/auth/token', asking)).status, 401);
  assert.equal(
    (
      await house.ask(
        'GET',
        '/api/core/v2/events',
        asking.as === null ? { as: null, headers: asking.headers } : {},
      )
    ).status,
    401,
  );
});

test('tokens that were not made here are refused', async (t) => {
  const house = await openHouse(t);
  const { access_token: good, refresh_token: refresh } = (await login(house, 'admin', 'P@ssw0rd!')).json;
  const [head, body, signature] = good.split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const forged = Buffer.from(JSON.stringify({ sub: 'admin', session_id: 'x', exp: 9e9 })).toString(
    'base64url',
  );
  for (const token of [
    'x',
    'a.b.c',
    `${none}.${body}.`,
    `${head}.${forged}.${signature}`,
    `${head}.${body}.${signature.slice(1)}`,
    refresh,
    '',
  ]) {
    const reply = await house.ask('GET', '/api/core/v2/events', { as: null, headers: bearer(token) });
    assert.equal(reply.status, 401, token);
    assert.equal(reply.json.code, 5);
  }
  const garbled = await house.ask('POST', '/auth/token', {
    as: null,
    headers: bearer(good),
    body: 'not json',
  });
  assert.equal(garbled.status, 400);
  const swapped = await house.ask('POST', '/auth/token', {
    as: null,
    headers: bearer(good),
    body: { refresh_token: good },
  });
  assert.equal(swapped.status, 401);
});

test('a login survives a restart of the backend', async (t) => {
  const before = await openHouse(t);
  await before.ask('GET', '/api/core/v2/events');
  const token = before.tokens.get('admin') ?? '';
  const after = await before.restart();
  const reply = await after.ask('GET', '/api/core/v2/events', { as: null, headers: bearer(token) });
  assert.equal(reply.status, 200);
});

test('the eleventh wrong password for one name within a minute is throttled', async (t) => {
  const house = await openHouse(t);
  for (let i = 0; i < 10; i += 1) assert.equal((await login(house, 'viewer', `guess-${i}`)).status, 401);
  const throttled = await login(house, 'viewer', 'guess-10');
  assert.equal(throttled.status, 429);
  assert.equal(throttled.headers.get('retry-after'), '60');
  assert.equal((await login(house, 'viewer', 'viewer-password')).status, 200, 'a right one gets in');
  assert.equal((await login(house, 'admin', 'P@ssw0rd!')).status, 200, 'other names are not affected');
});

test('after thirty wrong passwords from one address, for any names, the next is throttled', async (t) => {
  const house = await openHouse(t);
  for (let i = 0; i < 30; i += 1) assert.equal((await login(house, `user-${i}`, 'guess')).status, 401);
  assert.equal((await login(house, 'user-30', 'guess')).status, 429);
});

test('right passwords are never throttled', async (t) => {
  const house = await openHouse(t);
  for (let i = 0; i < 40; i += 1) assert.equal((await login(house, 'admin', 'P@ssw0rd!')).status, 200);
});

test('on a full store people can log in, work, and renew their tokens; a store that is away refuses', async (t) => {
  const house = await openHouse(t);
  house.store.fail(storeFull());
  const reply = await login(house, 'admin', 'P@ssw0rd!');
  assert.equal(reply.status, 200);
  const { access_token: access, refresh_token: refresh } = reply.json;
  const headers = bearer(access);
  assert.equal((await house.ask('GET', '/api/core/v2/namespaces', { as: null, headers })).status, 200);
  const renewed = await house.ask('POST', '/auth/token', {
    as: null,
    headers,
    body: { refresh_token: refresh },
  });
  assert.equal(renewed.status, 200);
  house.store.fail(new StoreError('unavailable', 'the store is away'));
  assert.equal((await login(house, 'admin', 'P@ssw0rd!')).status, 503);
});

test('the number of logins per user is limited; one more ends the oldest', async () => {
  const sessions = createSessions({ committer: new MemoryCommitter() }, () => 0);
  const begin = (sessionId: string) => sessions.begin({ user: 'ada', sessionId, refreshId: 'refresh' });
  for (let n = 0; n < maxSessionsPerUser; n += 1) await begin(`login-${n}`);
  assert.ok(sessions.find('ada', 'login-0'));
  await begin('one-more');
  assert.equal(sessions.find('ada', 'login-0'), undefined);
  assert.ok(sessions.find('ada', 'login-1'));
  assert.ok(sessions.find('ada', 'one-more'));
});

test('a name longer than any user has is refused and not remembered', () => {
  const basicOf = (name: string) => `Basic ${Buffer.from(`${name}:x`).toString('base64')}`;
  const longest = 'x'.repeat(maxNameCharacters);
  assert.equal(parseBasic(basicOf(longest))?.username, longest);
  assert.equal(parseBasic(basicOf(`${longest}x`)), undefined);
});
