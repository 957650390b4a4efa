// Streams end when access ends, and one user cannot exhaust the streams of others.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Principal } from '../../src/http/auth/principal.ts';
import { maxStreams, maxStreamsPerUser } from '../../src/http/limits.ts';
import { createLiveStreams } from '../../src/http/live-streams.ts';
import { addUser, grant, hashOf, openTable } from './harness.ts';
import { openRealHouse, type RealHouse } from './real-house.ts';

const password = 'a long password';
const events = '/api/inspect/v1/namespaces/default/events/stream';
const actors = '/api/inspect/v1/stream?prefix=check:default/';

const watcher = async (house: RealHouse, name: string): Promise<void> => {
  await addUser(house.backend.resources, name, password);
  await grant(
    house.backend.resources,
    name,
    { type: 'User', name },
    [
      { verbs: ['list'], resources: ['events'], resource_names: null },
      { verbs: ['inspect:get'], resources: ['actors'], resource_names: null },
    ],
    'default',
  );
};

/** Opens a stream and reads its first message; `ended` resolves when the server ends it. */
const follow = async (t: TestContext, house: RealHouse, path: string, authorization?: string) => {
  const leave = new AbortController();
  t.after(() => leave.abort());
  const reply = await fetch(house.url + path, {
    ...(authorization === undefined ? {} : { headers: { authorization } }),
    signal: leave.signal,
  });
  if (reply.status !== 200) {
    await reply.text();
    return { status: reply.status, ended: Promise.resolve() };
  }
  const reader = reply.body?.getReader();
  await reader?.read();
  const ended = (async () => {
    while ((await reader?.read().catch(() => ({ done: true })))?.done === false);
  })();
  return { status: 200, ended };
};

test('a stream request is authenticated before anything else', async (t) => {
  const house = await openRealHouse(t);
  await watcher(house, 'watcher');
  const token = await house.login('watcher', password);
  for (const path of ['/api/inspect/v1/stream', '/api/inspect/v1/stream?prefix=', events, actors])
    assert.equal((await follow(t, house, path)).status, 401, path);
  assert.equal((await follow(t, house, '/api/inspect/v1/stream', token)).status, 403);
  assert.equal((await follow(t, house, '/api/inspect/v1/stream', await house.login())).status, 200);
});

const ends: readonly (readonly [what: string, (house: RealHouse, token: string) => Promise<unknown>])[] = [
  [
    'its user is disabled',
    ({ backend }) =>
      backend.resources.update({ segment: 'users', namespace: '', name: 'watcher' }, (user) => ({
        ...user,
        disabled: true,
      })),
  ],
  [
    'the password of its user changes',
    ({ backend }) =>
      backend.resources.update({ segment: 'users', namespace: '', name: 'watcher' }, (user) => ({
        ...user,
        password_hash: hashOf('another password'),
      })),
  ],
  [
    'the right to it is taken away',
    ({ backend }) =>
      backend.resources.delete({ segment: 'rolebindings', namespace: 'default', name: 'watcher' }),
  ],
];

for (const [what, act] of ends)
  test(`a stream ends when ${what}, and the streams of others go on`, async (t) => {
    const house = await openRealHouse(t);
    for (const name of ['watcher', 'other']) await watcher(house, name);
    const token = await house.login('watcher', password);
    const mine = [await follow(t, house, events, token), await follow(t, house, actors, token)];
    const others = await follow(t, house, events, await house.login('other', password));
    let othersEnded = false;
    others.ended.then(() => {
      othersEnded = true;
    });
    await act(house, token);
    await Promise.all(mine.map(({ ended }) => ended));
    assert.equal(othersEnded, false);
    assert.equal(house.api.server.streams.count, 1);
  });

test('a stream ends with the login it was opened with', async (t) => {
  const house = await openRealHouse(t);
  await watcher(house, 'watcher');
  const authorization = `Basic ${Buffer.from(`watcher:${password}`).toString('base64')}`;
  const pair = (await (await fetch(`${house.url}/auth`, { headers: { authorization } })).json()) as {
    access_token: string;
    refresh_token: string;
  };
  const bearer = `Bearer ${pair.access_token}`;
  const stream = await follow(t, house, events, bearer);
  await fetch(`${house.url}/auth/logout`, {
    method: 'POST',
    headers: { authorization: bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: pair.refresh_token }),
  });
  await stream.ended;
});

test('one user fills only his own places', async (t) => {
  const house = await openRealHouse(t);
  await watcher(house, 'watcher');
  const token = await house.login('watcher', password);
  for (let at = 0; at < maxStreamsPerUser; at += 1)
    assert.equal((await follow(t, house, at % 2 === 0 ? events : actors, token)).status, 200);
  assert.equal((await follow(t, house, events, token)).status, 429);
  assert.equal((await follow(t, house, actors, token)).status, 429);
  assert.equal((await follow(t, house, events, await house.login())).status, 200);
});

test('at the total limit, the oldest stream of the user with the most streams ends', async () => {
  const streams = createLiveStreams(await openTable(), { current: (principal) => principal });
  const ended: string[] = [];
  const open = (username: string, label = username) => {
    const principal: Principal = { username, groups: [], via: 'token' };
    return streams.open(principal, [], () => ended.push(label));
  };
  open('small');
  const users = Math.ceil((maxStreams - 1) / maxStreamsPerUser);
  for (let at = 0; streams.count < maxStreams; at += 1) open(`user-${at % users}`, `${at}`);
  assert.deepEqual(ended, []);
  open('admin');
  assert.deepEqual(ended, ['0']);
  assert.equal(streams.count, maxStreams);
  streams.close();
});

test('a stream that needs several rights ends when one of them is gone', async () => {
  const resources = await openTable();
  const allow = (kinds: string[]) =>
    grant(resources, 'reader', { type: 'User', name: 'reader' }, [
      { verbs: ['list'], resources: kinds, resource_names: null },
    ]);
  await allow(['events', 'checks']);
  const streams = createLiveStreams(resources, { current: (principal) => principal });
  const ended = new Promise<void>((resolve) => {
    const needs = ['events', 'checks'].map((resource) => ({
      verb: 'list',
      resource,
      namespace: 'default',
      resourceName: '',
    }));
    streams.open({ username: 'reader', groups: [], via: 'token' }, needs, resolve);
  });
  await allow(['events']);
  await ended;
  assert.equal(streams.count, 0);
  streams.close();
});
