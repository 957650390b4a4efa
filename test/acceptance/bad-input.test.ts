// Bad input against a whole backend: each gets the clear error of the interface, nobody else is hurt, and what was
// acknowledged stays. One backend serves all cases; after each of them a good event must still go through.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { ApiClient, type Backend, inDefault, startBackend } from './programs.ts';

let dir: string;
let backend: Backend;
let api: ApiClient;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-bad-input-'));
  backend = await startBackend(dir);
  api = await ApiClient.login(backend.api);
});

after(async () => {
  await backend.program.kill();
  await rm(dir, { recursive: true, force: true });
});

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const headers = (more: Record<string, string> = {}): Record<string, string> => ({
  'Mon-AgentName': 'web-01',
  'Mon-Namespace': 'default',
  'Mon-Subscriptions': 'linux',
  'Mon-User': 'agent',
  'Mon-Ack': '1',
  Accept: 'application/json',
  Authorization: basic('agent', 'P@ssw0rd!'),
  ...more,
});

const connect = (sent: Record<string, string>): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(backend.agents, { headers: sent });
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk;
      });
      response.on('end', () => reject(new Error(`${response.statusCode} ${body.trim()}`)));
    });
    socket.once('error', reject);
  });

const event = (id: string, more: object = {}, check: object = {}): string =>
  JSON.stringify({
    timestamp: 1_700_000_000,
    id,
    entity: { entity_class: 'agent', metadata: { name: 'web-01', namespace: 'default' } },
    check: {
      metadata: { name: 'cpu', namespace: 'default' },
      interval: 10,
      status: 0,
      output: 'ok',
      ...check,
    },
    ...more,
  });

interface Ack {
  readonly ids: readonly string[];
  readonly refused?: readonly { readonly id: string; readonly message: string }[];
}

/** Resolves with what the backend said of an event, or why it closed the connection. */
const verdictOn = (socket: WebSocket, id: string): Promise<string> =>
  new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (!text.startsWith('ack\n')) return;
      const ack = JSON.parse(text.slice(4)) as Ack;
      if (ack.ids.includes(id)) resolve('acked');
      const refusal = ack.refused?.find((entry) => entry.id === id);
      if (refusal !== undefined) resolve(`refused: ${refusal.message}`);
    });
    socket.once('close', (code) => resolve(`closed ${code}`));
  });

const sendAndJudge = async (socket: WebSocket, frame: string, id: string): Promise<string> => {
  const verdict = verdictOn(socket, id);
  socket.send(frame);
  return verdict;
};

const refusedHandshakes: readonly [string, Record<string, string>, RegExp][] = [
  ['no password', { Authorization: '' }, /^401 missing credentials$/],
  ['a wrong password', { Authorization: basic('agent', 'guess') }, /^401 bad credentials$/],
  ['an unknown user', { Authorization: basic('nobody', 'guess') }, /^401 bad credentials$/],
  ['an unknown namespace', { 'Mon-Namespace': 'nope' }, /^404 namespace "nope" not found$/],
];

for (const [what, change, answer] of refusedHandshakes) {
  test(`an agent with ${what} is refused at the handshake`, async () => {
    await assert.rejects(connect(headers(change)), (error: Error) => {
      assert.match(error.message, answer);
      return true;
    });
  });
}

const dropped: readonly [string, string][] = [
  ['broken JSON', 'event\n{"entity":'],
  ['a list instead of an event', 'event\n[]'],
  ['an unknown message type', 'gossip\n{}'],
  ['a deep nest', `event\n${'['.repeat(5_000)}${']'.repeat(5_000)}`],
];

for (const [what, frame] of dropped) {
  test(`${what} is dropped, and the session goes on`, async () => {
    const socket = await connect(headers());
    const id = randomUUID();
    socket.send(frame);
    assert.equal(await sendAndJudge(socket, `event\n${event(id)}`, id), 'acked');
    socket.close();
  });
}

const refusedEvents: readonly [string, object, object, RegExp][] = [
  ['a status that is a word', {}, { status: 'bad' }, /check\.status/],
  ['a negative interval', {}, { interval: -5 }, /check\.interval/],
  ['a check name with a space', {}, { metadata: { name: 'a b' } }, /special characters/],
  ['a TTL of two seconds', {}, { interval: 1, ttl: 2 }, /minimum ttl is 5 seconds/],
  ['labels that are numbers', { metadata: { labels: { a: 1 } } }, {}, /labels/],
];

for (const [what, more, check, message] of refusedEvents) {
  test(`an event with ${what} is refused by name`, async () => {
    const socket = await connect(headers());
    const id = randomUUID();
    const verdict = await sendAndJudge(socket, `event\n${event(id, more, check)}`, id);
    assert.match(verdict, /^refused: /);
    assert.match(verdict, message);
    const next = randomUUID();
    assert.equal(await sendAndJudge(socket, `event\n${event(next)}`, next), 'acked');
    socket.close();
  });
}

test('a prototype in an event pollutes nothing', async () => {
  const socket = await connect(headers());
  const id = randomUUID();
  const text = event(id).replace('"status":0', '"status":0,"__proto__":{"polluted":true}');
  const verdict = sendAndJudge(socket, `event\n${text}`, id);
  const next = randomUUID();
  assert.equal(await sendAndJudge(socket, `event\n${event(next)}`, next), 'acked');
  socket.close();
  assert.notEqual(await verdict, 'acked');
});

test('a message of more than 1 MiB closes its own session with 1009 and no other', async () => {
  const [big, other] = await Promise.all([
    connect(headers()),
    connect(headers({ 'Mon-AgentName': 'web-02' })),
  ]);
  const id = randomUUID();
  const verdict = await sendAndJudge(big, `event\n${event(id, {}, { output: 'x'.repeat(1_100_000) })}`, id);
  assert.equal(verdict, 'closed 1009');
  const next = randomUUID();
  const mine = event(next).replaceAll('web-01', 'web-02');
  assert.equal(await sendAndJudge(other, `event\n${mine}`, next), 'acked');
  other.close();
});

const badRequests: readonly [string, string, unknown, number, RegExp][] = [
  ['broken JSON', 'events', '{"entity":', 400, /JSON|unexpected|end/i],
  ['an event without an entity', 'events', { check: { metadata: { name: 'c' } } }, 400, /entity/],
  [
    'an event without check and metrics',
    'events',
    { entity: { metadata: { name: 'e' } } },
    400,
    /check or metrics/,
  ],
  [
    'a wrong type',
    'checks',
    { metadata: { name: 'c', namespace: 'default' }, interval: 'often' },
    400,
    /interval/,
  ],
  [
    'the namespace of another',
    'checks',
    { metadata: { name: 'c', namespace: 'prod' }, interval: 5 },
    400,
    /namespace/,
  ],
  [
    'a name with a slash',
    'checks',
    { metadata: { name: 'a/b', namespace: 'default' }, interval: 5 },
    400,
    /name/,
  ],
  [
    'a prototype',
    'checks',
    '{"metadata":{"name":"c","namespace":"default"},"__proto__":{"x":1}}',
    400,
    /__proto__|key/,
  ],
  ['half a megabyte', 'checks', `{"metadata":{"name":"${'x'.repeat(520_000)}"}}`, 413, /too large/],
];

for (const [what, path, body, status, message] of badRequests) {
  test(`POST ${path} with ${what}: ${status}`, async () => {
    const response = await api.call('POST', inDefault(path), body);
    const answer = (await response.json()) as { message: string; code: number };
    assert.equal(response.status, status);
    assert.equal(answer.code, 1);
    assert.match(answer.message, message);
  });
}

test('a request without credentials is told so, and only that', async () => {
  const response = await fetch(`${backend.api}${inDefault('events')}`);
  assert.equal(response.status, 401);
  assert.deepEqual(await response.json(), { message: 'bad credentials', code: 5 });
});

test('after all of this the good events are there', async () => {
  const stored = await api.get<{ check: { occurrences: number } }>(inDefault('events/web-01/cpu'));
  assert.equal(stored.check.occurrences, dropped.length + refusedEvents.length + 1);
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  assert.equal((await fetch(`${backend.api}/ready`)).status, 200);
});
