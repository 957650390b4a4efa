// Several streams over one connection, against a real backend over real sockets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxBundledStreams } from '../../../src/http/inspect/limits.ts';
import { openRealHouse } from '../real-house.ts';
import { followStream } from './sse-client.ts';

const url = '/api/inspect/v1/streams';
const events = '/api/inspect/v1/namespaces/default/events/stream';

const open = async (t: Parameters<typeof openRealHouse>[0]) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const post = async (entity: string, status: number): Promise<void> => {
    const reply = await fetch(`${house.url}/api/core/v2/namespaces/default/events`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
        check: { metadata: { name: 'cpu' }, interval: 60, status, output: `line\n\nstream: x ${status}` },
      }),
    });
    assert.equal(reply.status, 201, await reply.text());
  };
  const follow = async (streams: readonly object[], as = authorization) => {
    const client = await followStream(house.url + url, { authorization: as }, { streams });
    t.after(() => client.leave());
    return client;
  };
  return { house, authorization, post, follow };
};

test('messages of several streams come over one connection, each under the id of its stream', async (t) => {
  const { post, follow } = await open(t);
  await post('web', 0);
  const client = await follow([
    { id: 'all', url: events },
    { id: 'bad', url: `${events}?state=critical` },
    { id: 'cpu', url: '/api/inspect/v1/stream?actors=check%3Adefault%2Fweb%2Fcpu' },
  ]);
  for (const id of ['all', 'bad', 'cpu'])
    await client.until(`hello of ${id}`, (one) => one.event === 'hello' && one.stream === id);
  await post('web', 1);
  const all = await client.until('the warning', (one) => one.stream === 'all' && one.event === 'changes');
  assert.equal(all.data.rows[0].check.output, 'line\n\nstream: x 1');
  await client.until('the transition', (one) => one.stream === 'cpu' && one.event === 'transitions');
  await post('web', 2);
  const bad = await client.until(
    'the critical one',
    (one) => one.stream === 'bad' && one.event === 'changes' && one.data.rows.length > 0,
  );
  assert.equal(bad.data.rows[0].check.status, 2);
});

test('a stream goes on where the last connection ended', async (t) => {
  const { post, follow } = await open(t);
  const first = await follow([{ id: 'a', url: events }]);
  const hello = await first.until('hello', ({ event }) => event === 'hello');
  first.leave();
  await post('web', 2);
  const again = await follow([{ id: 'a', url: events, last_event_id: hello.id }]);
  const missed = await again.until('what was missed', (one) => one.event === 'changes');
  assert.deepEqual(
    missed.data.rows.map((row: { entity: { metadata: object } }) => row.entity.metadata),
    [{ name: 'web', namespace: 'default' }],
  );
});

test('a stream that may not be read, or is none, is refused alone', async (t) => {
  const { house, follow, authorization } = await open(t);
  const user = { username: 'reader', password: 'read-me-now' };
  const metadata = { name: 'reader', namespace: 'default' };
  const resources: readonly (readonly [string, object])[] = [
    ['users/reader', user],
    ['namespaces/default/roles/reader', { metadata, rules: [{ verbs: ['list'], resources: ['events'] }] }],
    [
      'namespaces/default/rolebindings/reader',
      { metadata, subjects: [{ type: 'User', name: 'reader' }], role_ref: { type: 'Role', name: 'reader' } },
    ],
  ];
  for (const [path, body] of resources) {
    const reply = await fetch(`${house.url}/api/core/v2/${path}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(reply.status, 201, await reply.text());
  }
  const client = await follow(
    [
      { id: 'mine', url: events },
      { id: 'other', url: '/api/inspect/v1/namespaces/other/events/stream' },
      { id: 'actors', url: '/api/inspect/v1/stream' },
      { id: 'none', url: '/api/inspect/v1/system' },
      { id: 'wrong', url: `${events}?state=purple` },
    ],
    await house.login('reader', 'read-me-now'),
  );
  await client.until('hello', (one) => one.event === 'hello' && one.stream === 'mine');
  const refusals = client.told.filter(({ event }) => event === 'refused');
  assert.deepEqual(
    refusals.map(({ stream, data }) => [stream, data.status]),
    [
      ['other', 403],
      ['actors', 403],
      ['none', 404],
      ['wrong', 400],
    ],
  );
});

test('too many streams on one connection are rejected, as are unauthenticated requests', async (t) => {
  const { house, authorization } = await open(t);
  const ask = async (count: number, as: Record<string, string>): Promise<number> => {
    const leave = new AbortController();
    const streams = Array.from({ length: count }, (_, at) => ({ id: `s${at}`, url: events }));
    const reply = await fetch(house.url + url, {
      method: 'POST',
      headers: { ...as, 'content-type': 'application/json' },
      body: JSON.stringify({ streams }),
      signal: leave.signal,
    });
    leave.abort();
    return reply.status;
  };
  assert.equal(await ask(maxBundledStreams, { authorization }), 200);
  assert.equal(await ask(maxBundledStreams + 1, { authorization }), 400);
  assert.equal(await ask(1, {}), 401);
});
