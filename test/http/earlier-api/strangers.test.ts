// What the API of the earlier generation refuses to strangers: users that were disabled, pages of other sites, and senders
// that never finish.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { maxSubscriptions } from '../../../src/http/earlier-api/limits.ts';
import { keepalivesPipe } from '../../../src/wire/earlier/transport.ts';
import { eventually } from '../../eventually.ts';
import { type LiveBackend, openLiveBackend, password } from './live-backend.ts';

/** The figures that are shown, by name. */
const shown = new Map<string, () => unknown>();
let live: LiveBackend;
before(async () => {
  live = await openLiveBackend({
    timeouts: { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50 },
    maxInHandBytes: 500_000,
    maxUnreadBytes: 12_000_000,
    metrics: { gauge: ({ name }, read) => void shown.set(name, read) },
  });
});
after(() => live.close());

const authorization = `Basic ${Buffer.from(`agent:${password}`).toString('base64')}`;
const admin = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
const open = (headers: Record<string, string> = {}) =>
  new WebSocket(`ws://127.0.0.1:${live.port}/transport`, {
    headers: { Authorization: authorization, ...headers },
  });
const keepalive = (id: number, name: string) =>
  JSON.stringify({
    type: 'publish',
    id,
    pipe: keepalivesPipe.name,
    kind: keepalivesPipe.type,
    message: JSON.stringify({ name, address: 'a', subscriptions: ['web'], version: '1', timestamp: 1 }),
  });

/** `fetch` sets some headers itself, like a browser; a plain request sends exactly the given headers. */
const post = async (path: string, headers: Record<string, string>, body: object): Promise<number> => {
  const asked = httpRequest(`${live.url}${path}`, {
    method: 'POST',
    headers: { Authorization: admin, ...headers },
  });
  asked.end(JSON.stringify(body));
  const [reply] = await once(asked, 'response');
  reply.resume();
  return reply.statusCode;
};

test('the connection of a user that is disabled ends, and what it still sends is not taken', async (t) => {
  const socket = open();
  await once(socket, 'open');
  socket.send(keepalive(1, 'before'));
  await once(socket, 'message');
  assert.notEqual(live.backend.clients.get('before'), undefined);
  const users = live.backend.resources;
  const agent = users.get('users', '', 'agent') ?? assert.fail('there is a user agent');
  const ended = once(socket, 'close');
  t.after(() => users.put({ segment: 'users', namespace: '', name: 'agent' }, agent));
  await users.put({ segment: 'users', namespace: '', name: 'agent' }, { ...agent, disabled: true });
  // Connections are looked at in the turn after the change.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  socket.send(keepalive(2, 'after'), () => {});
  const [code, reason] = await ended;
  assert.deepEqual([code, String(reason)], [1008, 'the user is no longer allowed to report']);
  assert.equal(live.backend.clients.get('after'), undefined);
});

test('a page of another origin does not connect; programs and pages of our own do', async () => {
  for (const headers of [
    { Origin: 'https://elsewhere.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ]) {
    const [error] = await once(open(headers as Record<string, string>), 'error');
    assert.match(String(error), /403/, JSON.stringify(headers));
  }
  for (const headers of [{}, { Origin: `http://127.0.0.1:${live.port}` }]) {
    const socket = open(headers);
    await once(socket, 'open');
    socket.terminate();
  }
});

test('a page of another origin cannot make a browser change anything without asking first', async () => {
  const silence = (subscription: string) => ({ subscription, reason: 'forged' });
  const foreign = { Origin: 'https://elsewhere.example' };
  const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
  for (const type of simple)
    assert.equal(await post('/silenced', { ...foreign, 'Content-Type': type }, silence('forged')), 415, type);
  assert.equal(await post('/silenced', foreign, silence('forged')), 415, 'no type at all');
  const fetched = { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'text/plain' };
  assert.equal(await post('/silenced', fetched, silence('forged')), 415);
  assert.deepEqual(live.backend.resources.list('silenced').items, []);
  const asked = { ...foreign, 'Content-Type': 'application/json; charset=utf-8' };
  assert.equal(await post('/silenced', asked, silence('asked')), 201, 'the browser asked first');
});

test('handlers and scripts of the earlier generation post their JSON as a form, or as nothing', async () => {
  for (const [index, headers] of [{}, { 'Content-Type': 'application/x-www-form-urlencoded' }].entries())
    assert.equal(
      await post('/silenced', headers as Record<string, string>, { subscription: `script-${index}` }),
      201,
    );
});

test('a request whose body never ends is answered with 408 and disconnected', async () => {
  const socket = connect(live.port, '127.0.0.1');
  socket.write(
    `POST /results HTTP/1.1\r\nHost: x\r\nAuthorization: ${admin}\r\nContent-Length: 100\r\n\r\n{"name":`,
  );
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 408 /);
});

test('unsettled messages of a client are limited in bytes; above that it is not read until they settle', async () => {
  const { clients } = live.backend;
  const real = clients.keepalive;
  let [underWay, most, taken] = [0, 0, 0];
  clients.keepalive = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay -= 1;
    taken += 1;
  };
  const socket = open();
  await once(socket, 'open');
  const text = keepalive(1, 'x').replace('\\"a\\"', `\\"${'a'.repeat(100_000)}\\"`);
  assert.ok(text.length > 100_000);
  for (let n = 0; n < 40; n += 1) socket.send(text);
  await eventually('all are taken', () => taken === 40);
  clients.keepalive = real;
  assert.ok(most >= 2 && most <= 8, `${most} messages were under way`);
  socket.terminate();
});

test('the number of subscriptions per client is limited; one more is rejected without disconnecting', async () => {
  const socket = open();
  await once(socket, 'open');
  const answers: { type: string; reason?: string }[] = [];
  socket.on('message', (bytes) => answers.push(JSON.parse(String(bytes))));
  const said = async (message: object) => {
    const before = answers.length;
    socket.send(JSON.stringify(message));
    await eventually('it is answered', () => answers.length > before);
    return answers.at(-1);
  };
  for (let n = 0; n < maxSubscriptions; n += 1)
    socket.send(JSON.stringify({ type: 'subscribe', id: n, pipe: `pipe-${n}`, kind: 'fanout' }));
  await eventually('all are answered', () => answers.length === maxSubscriptions);
  assert.ok(answers.every(({ type }) => type === 'done'));
  assert.equal(shown.get('mon_earlier_subscriptions')?.(), maxSubscriptions);
  const over = await said({ type: 'subscribe', id: 2_000, pipe: 'one-more', kind: 'fanout' });
  assert.equal(over?.type, 'refused');
  assert.match(over?.reason ?? '', /at most 1024 subscriptions/);
  assert.equal((await said({ type: 'stats', id: 2_001, pipe: 'pipe-1' }))?.type, 'done');
  socket.terminate();
});

test('unread large responses are limited: another one is 503, small ones still work', async () => {
  const { clients } = live.backend;
  await clients.keepalive(
    { name: 'c1', address: 'a', subscriptions: [], version: '1', timestamp: 1 },
    'websocket',
  );
  for (let n = 0; n < 10; n += 1)
    await clients.result({
      client: 'c1',
      check: { name: `check-${n}`, output: 'x'.repeat(900_000), status: 0 },
    });
  const get = async (path: string) => {
    const asked = httpRequest(`${live.url}${path}`, { headers: { Authorization: admin }, agent: false });
    asked.end();
    const [reply] = await once(asked, 'response');
    reply.on('error', () => {});
    return reply;
  };
  const stalled = await get('/results');
  assert.equal(stalled.statusCode, 200);
  assert.ok(Number(shown.get('mon_earlier_unread_answer_bytes')?.()) > 9_000_000);
  const refused = await get('/results');
  assert.equal(refused.statusCode, 503);
  refused.resume();
  const small = await get('/clients');
  assert.equal(small.statusCode, 200);
  small.resume();
  stalled.destroy();
  await eventually('there is room again', async () => {
    const again = await get('/results');
    again.resume();
    return again.statusCode === 200;
  });
});
