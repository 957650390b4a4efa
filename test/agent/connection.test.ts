// Tests the connection with a simulated clock and fake sockets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnection } from '../../src/agent/connection/connection.ts';
import type { Dial, LineEnd, LineListener } from '../../src/agent/connection/dial.ts';
import { askedWaitMs, retryAfterMs, shuffled } from '../../src/agent/connection/reconnect-rule.ts';
import { jsonType } from '../../src/wire/headers.ts';
import { stepUntil } from '../eventually.ts';
import { fakeClock } from './fake-clock.ts';
import { readableLog, supervisionOf } from './helpers.ts';

const agreement = { contentType: jsonType, backendId: 'b', ack: true, dialect: 'native' } as const;
const refusal: LineEnd = { message: 'refused', clean: false, status: null };

const world = (urls: readonly string[] = ['ws://a', 'ws://b'], maxSessionMs = 0) => {
  const clock = fakeClock();
  const dialled: { url: string; listener: LineListener; pings: number; cuts: number; closes: number[] }[] =
    [];
  const dial: Dial = (url, listener) => {
    dialled.push({ url, listener, pings: 0, cuts: 0, closes: [] });
    return { cancel: () => listener.ended(refusal) };
  };
  const log = readableLog();
  const connection = createConnection(
    {
      urls,
      retry: { minMs: 1_000, maxMs: 120_000, multiplier: 2 },
      heartbeatIntervalMs: 30_000,
      heartbeatTimeoutMs: 45_000,
      maxSessionMs,
      dial,
      clock,
      random: () => 0.5,
      log: log.log,
      supervision: supervisionOf(log.log, clock),
    },
    { connected: () => {}, frame: () => {}, disconnected: () => {} },
  );
  const last = () => dialled[dialled.length - 1] ?? assert.fail('nobody was dialled');
  const open = () => {
    const attempt = last();
    attempt.listener.opened({
      agreement,
      url: attempt.url,
      send: () => {},
      ping: () => {
        attempt.pings += 1;
      },
      close: (code) => {
        attempt.closes.push(code);
        attempt.listener.ended({ message: 'closed', clean: true, status: null });
      },
      cut: () => {
        attempt.cuts += 1;
        attempt.listener.ended({ message: 'cut', clean: false, status: null });
      },
    });
  };
  return { clock, connection, dialled, last, open, log };
};

test('attempts go from backend to backend, and every failed round waits longer', () => {
  const { clock, connection, dialled, last } = world();
  connection.start();
  const waits: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    last().listener.ended(refusal);
    assert.equal(connection.state(), 'backingOff');
    const before = dialled.length;
    const startMs = clock.monotonicMs();
    stepUntil(
      'the next attempt',
      () => dialled.length > before,
      () => clock.advance(500),
      1_000,
    );
    waits.push(clock.monotonicMs() - startMs);
  }
  assert.deepEqual(
    waits,
    [1_000, 3_000, 9_000, 27_000, 81_000, 99_000].flatMap((wait) => [1_000, wait]),
  );
  const [first, second] = dialled;
  assert.deepEqual(
    dialled.map(({ url }) => url),
    Array.from({ length: 13 }, (_, at) => (at % 2 === 0 ? first : second)?.url),
  );
});

test('a line that was good for a while is replaced at once, one that was not waits', () => {
  const { clock, connection, dialled, last, open } = world();
  connection.start();
  open();
  clock.advance(60_000 - 20_000);
  last().listener.ended(refusal);
  assert.equal(connection.state(), 'connecting');
  assert.equal(dialled.length, 2);
  open();
  last().listener.ended(refusal);
  assert.equal(connection.state(), 'backingOff');
});

test('a silent backend is left after the heartbeat timeout; pongs keep the line', () => {
  const { clock, connection, dialled, last, open } = world();
  connection.start();
  open();
  clock.advance(30_000);
  assert.equal(last().pings, 1);
  last().listener.pong();
  clock.advance(44_999);
  assert.equal(dialled.length, 1);
  clock.advance(1);
  assert.equal(dialled[0]?.cuts, 1);
  assert.equal(dialled.length, 2);
  assert.notEqual(dialled[0]?.url, dialled[1]?.url);
});

test('a session is closed between half and all of its longest time', () => {
  const { clock, connection, dialled, open } = world(['ws://a'], 100_000);
  connection.start();
  open();
  for (let at = 0; at < 74; at += 1) {
    clock.advance(1_000);
    dialled[0]?.listener.pong();
  }
  assert.equal(dialled.length, 1);
  clock.advance(1_000);
  assert.deepEqual(dialled[0]?.closes, [1001]);
  assert.equal(dialled.length, 2);
});

test('stopping says goodbye and leaves no timer behind', async () => {
  const { clock, connection, dialled, open } = world();
  connection.start();
  open();
  const stopping = connection.stop();
  clock.advance(0);
  await stopping;
  assert.deepEqual(dialled[0]?.closes, [1001]);
  assert.equal(connection.state(), 'stopped');
  assert.equal(clock.pending(), 0);
});

test('stopping while waiting for the next attempt ends the wait', async () => {
  const { clock, connection, last } = world();
  connection.start();
  last().listener.ended(refusal);
  await connection.stop();
  assert.equal(clock.pending(), 0);
});

test('a backend that asks for patience gets it', () => {
  const retry = { minMs: 1_000, maxMs: 120_000, multiplier: 2 };
  for (const status of [402, 429, 503]) assert.equal(askedWaitMs(1_000, retry, status, null, 2), 2_000);
  assert.equal(askedWaitMs(1_000, retry, 429, 30_000, 2), 30_000);
  assert.equal(askedWaitMs(1_000, retry, 503, 1e12, 2), 1_200_000);
  assert.equal(askedWaitMs(1_000, retry, 401, 30_000, 2), 0);
  assert.equal(retryAfterMs('7', 0), 7_000);
  assert.equal(retryAfterMs(new Date(5_000).toUTCString(), 2_000), 3_000);
  assert.equal(retryAfterMs('soon', 0), null);
});

test('each agent walks all backends in an order of its own', () => {
  const urls = ['a', 'b', 'c', 'd'];
  assert.deepEqual(
    shuffled(urls, () => 0.99),
    urls,
  );
  assert.deepEqual(
    shuffled(urls, () => 0),
    ['b', 'c', 'd', 'a'],
  );
});
