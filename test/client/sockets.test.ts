// The TCP and UDP sockets of the client, from outside (interface section 4.7).
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { maxSocketBytes } from '../../src/client/limits.ts';
import { createLocalResults } from '../../src/client/local-result.ts';
import { openSockets } from '../../src/client/sockets.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import type { LocalSockets } from '../../src/sockets/local-sockets.ts';
import { datagram, dial, eventually, handTimers, rememberingLog } from './helpers.ts';

const open: LocalSockets[] = [];
afterEach(async () => {
  for (const sockets of open.splice(0)) await sockets.close();
});

const start = async () => {
  const published: Json[] = [];
  const log = rememberingLog();
  const time = handTimers();
  const results = createLocalResults((check) => published.push(check), time.timers);
  const sockets = await openSockets({ bind: '127.0.0.1', port: 0, results, log, timers: time.timers });
  open.push(sockets);
  return { port: sockets.port, published, log, ...time };
};

const say = async (port: number, text: string): Promise<string> => {
  const line = dial(port);
  line.send(text);
  return line.closed;
};

const good = '{"name":"s2","output":"x","status":0,"source":"sw-1","ttl":30,"ttl_status":2,"foo":{"a":1}}';

test('a result is completed, published and answered with ok', async () => {
  const { port, published } = await start();
  assert.equal(await say(port, good), 'ok');
  assert.deepEqual(published, [
    {
      name: 's2',
      output: 'x',
      source: 'sw-1',
      ttl: 30,
      ttl_status: 2,
      foo: { a: 1 },
      status: 0,
      executed: 1_800_000_000,
      issued: 1_800_000_000,
    },
  ]);
});

test('issued is always now; executed is set only if missing', async () => {
  const { port, published } = await start();
  await say(port, '{"name":"a","output":"","status":2,"executed":7,"issued":8}');
  assert.deepEqual(published, [{ name: 'a', output: '', status: 2, executed: 7, issued: 1_800_000_000 }]);
});

test('ping is answered with pong, blanks around it do not count, letter case does', async () => {
  const { port, log } = await start();
  assert.equal(await say(port, 'ping'), 'pong');
  assert.equal(await say(port, ' \nping\r\n'), 'pong');
  assert.deepEqual(log.lines, []);
});

test('a result may come in pieces; only a pause of 500 ms ends it', async () => {
  const { port, advance, published, waiting, armed } = await start();
  const line = dial(port);
  for (const [at, part] of ['{"name":', '"a","out', 'put":"x","status":0'].entries()) {
    line.send(part);
    await eventually(() => armed() === at + 1, 'the watchdog');
    advance(499);
  }
  line.send('}');
  assert.equal(await line.closed, 'ok');
  assert.equal(published.length, 1);
  assert.equal(waiting(), 0);
});

test('invalid JSON is answered with invalid after 500 ms and logged', async () => {
  for (const text of ['{"name":', 'PING', '{}{}', '{"name":"a","output":"x","status":0} trailing']) {
    const { port, advance, log, waiting } = await start();
    const line = dial(port);
    line.send(text);
    await eventually(() => waiting() === 1, 'the watchdog');
    advance(499);
    assert.equal(waiting(), 1);
    advance(1);
    assert.equal(await line.closed, 'invalid');
    const [warning] = log.told('discarding data buffer for sender and closing connection');
    assert.equal(warning?.level, 'warn');
    assert.equal(warning?.data['data'], text);
    assert.ok(warning?.data['parse_error']);
  }
});

test('an idle connection stays open', async () => {
  const { port, advance, waiting } = await start();
  const line = dial(port);
  await eventually(() => line.socket.readyState === 'open');
  assert.equal(waiting(), 0);
  advance(60_000);
  line.send(good);
  assert.equal(await line.closed, 'ok');
});

test('a result that is wrong is answered with invalid at once, with the first reason in the log', async () => {
  const cases = [
    ['{"output":"x","status":0}', 'check name must be a string'],
    ['{"name":"a"}', 'check output must be a string'],
    ['{"name":"a","output":"x"}', 'check status must be an integer'],
    ['{"name":"a","output":"x","status":"0"}', 'check status must be an integer'],
    ['{"name":"a b","output":"x","status":0}', 'check name cannot contain spaces or special characters'],
    ['{"name":"a","output":"x","status":0,"ttl":-1}', 'check ttl must be greater than 0'],
    ['null', 'check result must be a hash'],
    ['5', 'check result must be a hash'],
    ['"ping"', 'check result must be a hash'],
    ['[1]', 'check result must be a hash'],
  ] as const;
  for (const [text, reason] of cases) {
    const { port, log, published } = await start();
    assert.equal(await say(port, text), 'invalid', text);
    assert.equal(log.told('failed to process check result from socket')[0]?.data['error'], reason, text);
    assert.deepEqual(published, []);
  }
});

test('a list is several results; those before a wrong one are published', async () => {
  const { port, published } = await start();
  assert.equal(await say(port, '[]'), 'ok');
  assert.equal(
    await say(port, '[{"name":"a","output":"","status":0},{"name":"b","output":"","status":0}]'),
    'ok',
  );
  assert.equal(
    await say(port, '[{"name":"c","output":"","status":0},{"name":"d"},{"name":"e","output":"","status":0}]'),
    'invalid',
  );
  assert.deepEqual(
    published.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
});

test('a sender that stops in the middle gets no reply', async () => {
  const { port, published } = await start();
  const line = dial(port);
  line.send('{"name":');
  line.end();
  assert.equal(await line.closed, '');
  assert.deepEqual(published, []);
});

test('invalid UTF-8 is logged and still processed', async () => {
  const { port, log, published } = await start();
  const line = dial(port);
  line.send(
    Buffer.concat([Buffer.from('{"name":"a","output":"'), Buffer.from([0xff]), Buffer.from('","status":0}')]),
  );
  assert.equal(await line.closed, 'ok');
  assert.equal(published.length, 1);
  assert.equal(log.told('data from socket is not a valid UTF-8 sequence, processing it anyways').length, 1);
});

test('a message beyond the limit is refused', async () => {
  const { port } = await start();
  const line = dial(port);
  line.send(`{"name":"a","output":"${'x'.repeat(maxSocketBytes)}","status":0}`);
  assert.equal(await line.closed, 'invalid');
});

test('UDP takes the same results, says nothing, and survives everything', async () => {
  const { port, published, log } = await start();
  for (const text of ['ping', '{"name":', '{"name":"a"}', '', good]) await datagram(port, text);
  await eventually(() => published.length === 1, 'the result');
  await eventually(() => log.told('failed to process check result from socket').length === 1);
  assert.equal(log.told('failed to parse check result from socket')[0]?.level, 'error');
  await datagram(port, '[{"name":"b","output":"","status":0}]');
  await eventually(() => published.length === 2, 'the second result');
});
