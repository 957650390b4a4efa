import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeliveryQueue } from '../../src/agent/queue/delivery-queue.ts';
import type { EventQueue } from '../../src/agent/queue/event-queue.ts';
import { createEventRelay } from '../../src/agent/queue/event-relay.ts';
import type { Delivery, DeliveryLimits } from '../../src/machines/delivery-queue/delivery-queue-rule.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { createTokenBucket } from '../../src/model/token-bucket.ts';
import type { Logger } from '../../src/program/log.ts';
import { fc } from '../property.ts';
import { fakeClock } from './fake-clock.ts';
import { readableLog, supervisionOf } from './helpers.ts';

const eventOf = (id: string): Event => ({
  ...eventSchema.parse({ entity: { metadata: { name: 'a' } }, check: { metadata: { name: 'c' } } }),
  id,
});
const queueWith = (log: Logger, limits?: DeliveryLimits) =>
  createDeliveryQueue(supervisionOf(log), log, limits);
const ids = (count: number) => Array.from({ length: count }, (_, at) => `id-${at}`);
const outlet = (sent: string[], acknowledges = true) => ({
  acknowledges,
  send: (event: Event, done: (error?: Error) => void) => {
    sent.push(event.id ?? '');
    done();
  },
});

test('no more than 32 events are under way without an acknowledgement', () => {
  const queue = queueWith(readableLog().log);
  const sent: string[] = [];
  queue.open(outlet(sent));
  for (const id of ids(33)) queue.enqueue(eventOf(id));
  assert.equal(sent.length, 32);
  queue.acknowledged(['id-0'], []);
  assert.equal(sent.at(-1), 'id-32');
  assert.equal(queue.size(), 32);
});

test('too many waiting events drop the oldest one, with a log line', () => {
  const { log, messages } = readableLog();
  const queue = queueWith(log, { waiting: 2, waitingBytes: 1e9, underWay: 32 });
  const outcomes: [string, Delivery][] = [];
  for (const id of ids(3)) queue.enqueue(eventOf(id), (delivery) => outcomes.push([id, delivery]));
  assert.deepEqual(outcomes, [['id-0', 'dropped']]);
  assert.ok(messages().includes('event dropped: too many events are waiting for a backend'));
  const sent: string[] = [];
  queue.open(outlet(sent));
  assert.deepEqual(sent, ['id-1', 'id-2']);
});

test('whatever happens to the line, every event is settled once and the first sendings are in order', () => {
  const step = fc.oneof(
    fc.constant('enqueue' as const),
    fc.constant('open' as const),
    fc.constant('close' as const),
    fc.constant('ack' as const),
    fc.constant('refuse' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const queue = queueWith(readableLog().log, {
        waiting: 1_000,
        waitingBytes: 1e9,
        underWay: 4,
      });
      const sent: string[] = [];
      const settled: string[] = [];
      let made = 0;
      for (const action of steps) {
        const open = sent.filter((id) => !settled.includes(id));
        if (action === 'enqueue') {
          const id = `id-${made++}`;
          queue.enqueue(eventOf(id), () => settled.push(id));
        } else if (action === 'open') queue.open(outlet(sent));
        else if (action === 'close') queue.close();
        else if (action === 'ack') queue.acknowledged(open.slice(0, 2), []);
        else
          queue.acknowledged(
            [],
            open.slice(0, 1).map((id) => ({ id, message: 'no' })),
          );
      }
      queue.open(outlet(sent));
      for (let round = 0; round < made + 1; round += 1) queue.acknowledged(ids(made), []);
      assert.deepEqual([...settled].sort(), ids(made).sort());
      assert.deepEqual([...new Set(sent)], ids(made));
      assert.equal(queue.size(), 0);
    }),
  );
});

test('a bucket gives its burst at once and then its rate', () => {
  const bucket = createTokenBucket(10, 3, 0);
  assert.deepEqual([bucket.take(0), bucket.take(0), bucket.take(0)], [0, 0, 0]);
  assert.equal(bucket.take(0), 100);
  assert.equal(bucket.take(99), 1);
  assert.equal(bucket.take(100), 0);
  const free = createTokenBucket(0, 1, 0);
  assert.deepEqual([free.take(0), free.take(0)], [0, 0]);
});

const memoryDisk = (count: number): EventQueue & { removed: number[] } => {
  const kept = new Map(ids(count).map((id, at) => [at + 1, eventOf(id)]));
  const removed: number[] = [];
  return {
    removed,
    add: async () => {},
    after: (after, limit) =>
      [...kept]
        .filter(([key]) => key > after)
        .slice(0, limit)
        .map(([key, event]) => ({ key, event })),
    remove: async (key) => {
      kept.delete(key);
      removed.push(key);
    },
    size: () => kept.size,
    close: async () => {},
  };
};

test('the relay hands on its burst, then its rate, and removes only what the backend has', async () => {
  const clock = fakeClock();
  const { log } = readableLog();
  const queue = queueWith(log);
  const sent: string[] = [];
  queue.open(outlet(sent));
  const disk = memoryDisk(25);
  const relay = createEventRelay({ disk, queue, ratePerSecond: 10, burst: 10, window: 32, clock, log });
  relay.wake();
  assert.equal(sent.length, 10);
  clock.advance(1_000);
  assert.equal(sent.length, 20);
  assert.deepEqual(disk.removed, []);
  queue.acknowledged(['id-0', 'id-1'], []);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(disk.removed, [1, 2]);
  clock.advance(500);
  assert.deepEqual(sent, ids(25));
  relay.stop();
});

test('after a reconnect what was under way goes out again before what waits, in order', () => {
  const queue = queueWith(readableLog().log, { waiting: 10, waitingBytes: 1e9, underWay: 2 });
  queue.open(outlet([]));
  for (const id of ids(4)) queue.enqueue(eventOf(id));
  queue.acknowledged(['id-0'], []);
  queue.close();
  const sent: string[] = [];
  queue.open(outlet(sent));
  assert.deepEqual(sent, ['id-1', 'id-2']);
  queue.acknowledged(['id-1', 'id-2'], []);
  assert.deepEqual(sent, ['id-1', 'id-2', 'id-3']);
});

test('what the memory has no room for stays on disk and is handed on again later', () => {
  const clock = fakeClock();
  const { log } = readableLog();
  const queue = queueWith(log, { waiting: 2, waitingBytes: 1e9, underWay: 32 });
  const relay = createEventRelay({
    disk: memoryDisk(2),
    queue,
    ratePerSecond: 0,
    burst: 1,
    window: 32,
    clock,
    log,
  });
  relay.wake();
  for (const id of ['check-1', 'check-2']) queue.enqueue(eventOf(id));
  const sent: string[] = [];
  queue.open(outlet(sent));
  assert.deepEqual(sent, ['check-1', 'check-2']);
  clock.advance(10_000);
  assert.deepEqual(sent.slice(2), ['id-0', 'id-1']);
  relay.stop();
});

test('the queue says when no sent event is unsettled: at once, or after the last answer', () => {
  const queue = queueWith(readableLog().log);
  const calls: string[] = [];
  queue.whenQuiet(() => calls.push('nothing sent'));
  queue.open(outlet([]));
  for (const id of ids(2)) queue.enqueue(eventOf(id));
  queue.whenQuiet(() => calls.push('all settled'));
  queue.acknowledged(['id-0'], []);
  assert.deepEqual(calls, ['nothing sent']);
  queue.acknowledged([], [{ id: 'id-1', message: 'no' }]);
  assert.deepEqual(calls, ['nothing sent', 'all settled']);
});
