// What the supervisor of the agent does when one of its actors crashes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnection } from '../../src/agent/connection/connection.ts';
import type { Dial, LineListener } from '../../src/agent/connection/dial.ts';
import { createDeliveryQueue } from '../../src/agent/queue/delivery-queue.ts';
import { createSupervision } from '../../src/agent/supervision.ts';
import type { Delivery } from '../../src/machines/delivery-queue/delivery-queue-rule.ts';
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { jsonType } from '../../src/wire/headers.ts';
import { fakeClock } from './fake-clock.ts';
import { readableLog, supervisionOf } from './helpers.ts';

const restartMs = 1_000;

const eventOf = (id: string): Event => ({
  ...eventSchema.parse({ entity: { metadata: { name: 'a' } }, check: { metadata: { name: 'c' } } }),
  id,
});

const agentOf = () => {
  const clock = fakeClock();
  const log = readableLog();
  return { clock, log, supervision: supervisionOf(log.log, clock) };
};

/** A message that crashes every machine that looks at it. */
const crashing = (type: string) => ({
  type,
  get nowMs(): number {
    throw new Error('boom');
  },
  get delivered(): string[] {
    throw new Error('boom');
  },
});

const queueOf = (limits?: { waiting: number; waitingBytes: number; underWay: number }) => {
  const tools = agentOf();
  const queue = createDeliveryQueue(tools.supervision, tools.log.log, limits);
  const sent: string[] = [];
  const outcomes: [string, Delivery][] = [];
  const add = (id: string) => queue.enqueue(eventOf(id), (delivery) => outcomes.push([id, delivery]));
  const open = (broken: readonly string[] = []) =>
    queue.open({
      acknowledges: true,
      send: (event) => {
        if (broken.includes(event.id ?? '')) throw new Error('boom');
        sent.push(event.id ?? '');
      },
    });
  const crash = () => tools.supervision.tell('queue', crashing('events.answered'));
  return { ...tools, queue, sent, outcomes, add, open, crash };
};

test('a delivery queue that crashes starts again with every unsettled event, in order', () => {
  const { add, clock, crash, log, open, outcomes, queue, sent, supervision } = queueOf();
  open();
  for (const id of ['1', '2', '3']) add(id);
  queue.acknowledged(['1'], []);
  crash();
  add('4');
  assert.deepEqual(sent, ['1', '2', '3']);
  clock.advance(restartMs);
  assert.deepEqual(sent, ['1', '2', '3', '2', '3', '4']);
  queue.acknowledged(['2', '3', '4'], []);
  assert.deepEqual(
    outcomes,
    ['1', '2', '3', '4'].map((id) => [id, 'delivered']),
  );
  assert.equal(supervision.actor('queue')?.info.restarts, 1);
  assert.ok(log.messages().includes('actor failed, restarting it'));
});

test('events that arrive while the restart of the queue is far away are kept, up to the limit', () => {
  const { add, clock, crash, open, outcomes, sent } = queueOf({
    waiting: 3,
    waitingBytes: 1e9,
    underWay: 32,
  });
  crash();
  clock.advance(restartMs);
  crash();
  clock.advance(2 * restartMs);
  // The third restart is four seconds away: mail is not kept that long.
  crash();
  for (const id of ['1', '2', '3', '4']) add(id);
  assert.deepEqual(outcomes, [['4', 'dropped']]);
  clock.advance(4 * restartMs);
  open();
  assert.deepEqual(sent, ['1', '2', '3']);
});

test('an event that crashes the queue is dropped the first time and discarded the second', () => {
  const { add, clock, log, open, outcomes, queue, sent } = queueOf();
  open(['bad']);
  add('1');
  add('bad');
  clock.advance(restartMs);
  add('bad');
  clock.advance(restartMs);
  add('2');
  assert.deepEqual(outcomes, [
    ['bad', 'dropped'],
    ['bad', 'refused'],
  ]);
  assert.deepEqual(sent, ['1', '1', '1', '2']);
  assert.equal(queue.size(), 2);
  assert.ok(log.messages().includes('event discarded: the delivery queue crashed on it twice'));
});

const connectionOf = (failures = 0) => {
  const tools = agentOf();
  const { clock, log, supervision } = tools;
  const dialled: LineListener[] = [];
  const cuts: number[] = [];
  let ended = 0;
  const dial: Dial = (_, listener) => {
    const at = dialled.push(listener) - 1;
    if (at < failures) throw new Error('boom');
    const end = () => listener.ended({ message: 'cut', clean: false, status: null });
    return { cancel: end };
  };
  const open = (at: number) =>
    dialled[at]?.opened({
      agreement: { contentType: jsonType, backendId: 'b', ack: true, dialect: 'native' },
      url: 'ws://a',
      send: () => {},
      ping: () => {},
      close: () => dialled[at]?.ended({ message: 'closed', clean: true, status: null }),
      cut: () => {
        cuts.push(at);
        dialled[at]?.ended({ message: 'cut', clean: false, status: null });
      },
    });
  const connection = createConnection(
    {
      urls: ['ws://a'],
      retry: { minMs: 10_000, maxMs: 120_000, multiplier: 2 },
      heartbeatIntervalMs: 30_000,
      heartbeatTimeoutMs: 45_000,
      maxSessionMs: 0,
      dial,
      clock,
      random: () => 0.5,
      log: log.log,
      supervision,
    },
    {
      connected: () => {},
      frame: () => {},
      disconnected: () => {
        ended += 1;
      },
    },
  );
  connection.start();
  return { ...tools, connection, cuts, dialled, open, endings: () => ended };
};

test('a connection that crashes closes its socket, tells the session, and dials again', async () => {
  const { clock, connection, cuts, dialled, endings, open, supervision } = connectionOf();
  open(0);
  assert.equal(connection.state(), 'connected');
  supervision.tell('connection', crashing('line.ended'));
  assert.deepEqual([cuts, endings()], [[0], 1]);
  assert.equal(connection.state(), 'disconnected');
  clock.advance(restartMs);
  assert.equal(dialled.length, 2);
  // The socket of the crashed life is no longer listened to.
  dialled[0]?.ended({ message: 'late', clean: false, status: null });
  assert.equal(connection.state(), 'connecting');
  open(1);
  assert.equal(connection.state(), 'connected');
  await connection.stop();
  await supervision.stop();
  assert.equal(clock.pending(), 0);
});

test('a crash while dialling dials again, and does not after a stop', async () => {
  const { clock, connection, dialled, supervision } = connectionOf(2);
  clock.advance(restartMs);
  assert.equal(dialled.length, 2);
  const stopped = connection.stop();
  clock.advance(60_000);
  await stopped;
  assert.equal(dialled.length, 2);
  await supervision.stop();
  assert.equal(clock.pending(), 0);
});

test('after more than three crashes in a minute the agent gives up', () => {
  const clock = fakeClock();
  const log = readableLog();
  const failures: string[] = [];
  const failed = (error: Error) => failures.push(error.message);
  const supervision = createSupervision({ clock, log: log.log, random: () => 0, failed });
  createDeliveryQueue(supervision, log.log);
  const crash = () => {
    supervision.tell('queue', crashing('events.answered'));
    clock.advance(8 * restartMs);
  };
  for (const _ of [1, 2, 3]) crash();
  assert.deepEqual(failures, []);
  crash();
  assert.deepEqual(failures, ['boom']);
});
