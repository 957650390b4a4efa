// The one queue between actors: no recursion, fair turns, bounded turns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mailbox } from '../../../src/actors/runtime/cell/mailbox.ts';
import { createRunQueue, type Runnable } from '../../../src/actors/runtime/load/run-queue.ts';
import { stepUntil } from '../../eventually.ts';
import { createSimulatedClock } from './simulated-clock.ts';

/** A clock whose turns the test runs one by one, and whose time it moves from inside a message. */
const setUp = () => {
  const clock = createSimulatedClock();
  const turns: (() => void)[] = [];
  let nowMs = 0;
  const faults: unknown[] = [];
  const queue = createRunQueue({
    clock: { ...clock, monotonicMs: () => nowMs, yieldTurn: (task) => turns.push(task) },
    onFault: (error) => faults.push(error),
  });
  const runTurn = (): boolean => {
    const turn = turns.shift();
    turn?.();
    return turn !== undefined;
  };
  return { queue, runTurn, faults, pass: (ms: number) => (nowMs += ms) };
};

const worker = (messages: number, onMessage: () => void = () => {}): Runnable => ({
  get mailboxDepth() {
    return messages;
  },
  runOne() {
    onMessage();
    messages -= 1;
    return messages > 0;
  },
});

/** `runTurn` returns whether it ran one. */
const runAll = (runTurn: () => boolean): void => {
  let isOver = false;
  stepUntil(
    'the queue is empty',
    () => isOver,
    () => {
      isOver = !runTurn();
    },
  );
};

test('a chain of 100,000 messages, each sent by the one before, neither recurses nor overflows', () => {
  const { queue, runTurn } = setUp();
  let sent = 0;
  let depth = 0;
  const link = (): void => {
    depth += 1;
    assert.equal(depth, 1, 'a send is never a call inside a call');
    sent += 1;
    if (sent < 100_000) queue.schedule(worker(1, link));
    depth -= 1;
  };
  queue.schedule(worker(1, link));
  runAll(runTurn);
  assert.equal(sent, 100_000);
});

test('a turn ends after 300 messages and the loop gets its own', () => {
  const { queue, runTurn } = setUp();
  queue.schedule(worker(1_000));
  runTurn();
  assert.equal(queue.handled, 300);
  runTurn();
  assert.equal(queue.handled, 600);
});

test('a turn ends after 8 ms, however few messages that were', () => {
  const { queue, runTurn, pass } = setUp();
  queue.schedule(worker(100, () => pass(5)));
  runTurn();
  assert.equal(queue.handled, 2);
});

test('an actor with endless mail lets the others through', () => {
  const { queue, runTurn } = setUp();
  let others = 0;
  queue.schedule(worker(Number.POSITIVE_INFINITY));
  for (let index = 0; index < 10; index += 1) queue.schedule(worker(1, () => (others += 1)));
  runTurn();
  assert.equal(others, 10);
});

test('posted tasks go before mail', () => {
  const { queue, runTurn } = setUp();
  const order: string[] = [];
  queue.schedule(worker(1, () => order.push('mail')));
  queue.post(() => order.push('task'));
  runTurn();
  assert.deepEqual(order, ['task', 'mail']);
});

test('what throws is reported and the others go on', () => {
  const { queue, runTurn, faults } = setUp();
  let reached = false;
  queue.post(() => {
    throw new Error('task');
  });
  queue.schedule(
    worker(1, () => {
      throw new Error('mail');
    }),
  );
  queue.schedule(worker(1, () => (reached = true)));
  runTurn();
  assert.equal(faults.length, 2);
  assert.equal(reached, true);
});

const message = (n: number) => ({ type: `m${n}`, n });
const waiting = (mailbox: Mailbox): number[] =>
  mailbox.takeAll().map(({ message: m }) => (m as unknown as { n: number }).n);

test('refuse: message n is taken, n+1 is not', () => {
  const mailbox = new Mailbox({ capacity: 3, overflow: 'refuse' });
  for (let n = 1; n <= 3; n += 1) assert.equal(mailbox.post(message(n), undefined), 'accepted');
  assert.equal(mailbox.post(message(4), undefined), 'full');
  mailbox.force(message(5));
  assert.deepEqual(waiting(mailbox), [1, 2, 3, 5], 'a deadline that has come is never refused');
});

test('dropOldest: message n+1 pushes out the first and hands back its receipt', () => {
  const mailbox = new Mailbox({ capacity: 2, overflow: 'dropOldest' });
  const receipt = (): void => {};
  mailbox.post(message(1), receipt);
  mailbox.post(message(2), undefined);
  assert.deepEqual(mailbox.post(message(3), undefined), { dropped: { message: message(1), receipt } });
  assert.deepEqual(waiting(mailbox), [2, 3]);
});

test('coalesce: past n, a message replaces the one with its key and both senders are told', () => {
  const mailbox = new Mailbox({ capacity: 2, overflow: 'coalesce' });
  const told: string[] = [];
  mailbox.post(message(1), () => told.push('older'));
  mailbox.post(message(2), undefined);
  assert.equal(
    mailbox.post({ ...message(1), n: 11 } as never, () => told.push('newer')),
    'accepted',
  );
  assert.equal(mailbox.post(message(3), undefined), 'full', 'a key of its own finds no place');
  const [first] = mailbox.takeAll();
  assert.equal((first?.message as { n?: number } | undefined)?.n, 11);
  first?.receipt?.({ type: 'done' });
  assert.deepEqual(told, ['older', 'newer']);
});

test('coalesce: a thousand senders may wait for one message, each is told, one more is refused', () => {
  const mailbox = new Mailbox({ capacity: 1, overflow: 'coalesce' });
  const told: number[] = [];
  for (let sender = 0; sender < 1_000; sender += 1) {
    const receipt = (): void => {
      told.push(sender);
      if (sender === 3) throw new Error('a receipt that throws');
    };
    assert.equal(mailbox.post({ type: 'a' }, receipt), 'accepted');
  }
  assert.equal(
    mailbox.post({ type: 'a' }, () => {}),
    'full',
  );
  assert.equal(mailbox.post({ type: 'a' }, undefined), 'accepted', 'who wants no answer is welcome');
  const letter = mailbox.take();
  assert.throws(() => letter?.receipt?.({ type: 'done' }), /a receipt that throws/);
  assert.equal(told.length, 1_000);
});

test('order holds over any number of posts and takes', () => {
  const mailbox = new Mailbox({ capacity: 10_000, overflow: 'refuse' });
  let next = 0;
  let expected = 0;
  for (let round = 0; round < 400; round += 1) {
    for (let count = 0; count < 7 && mailbox.size < 2_000; count += 1)
      mailbox.post(message(next++), undefined);
    for (let count = 0; count < 5; count += 1) {
      assert.equal((mailbox.take()?.message as { n?: number } | undefined)?.n, expected++);
    }
  }
  assert.deepEqual(waiting(mailbox)[0], expected);
});

test('the figures tell of rare long turns and of rare long mailboxes, over the last 512 turns', () => {
  const { queue, runTurn, pass } = setUp();
  assert.equal(queue.turnP99Ms, 0);
  assert.equal(queue.mailboxDepthP99, 0);
  const turnOf = (messages: number, ms: number): void => {
    queue.schedule(worker(messages, () => pass(ms / messages)));
    runAll(runTurn);
  };
  for (let turn = 0; turn < 502; turn += 1) turnOf(1, 1);
  for (let turn = 0; turn < 10; turn += 1) turnOf(5, 5);
  assert.equal(queue.turnP99Ms, 5);
  assert.equal(queue.mailboxDepthP99, 5);
  for (let turn = 0; turn < 512; turn += 1) turnOf(1, 1);
  assert.equal(queue.turnP99Ms, 1, 'what is long past is forgotten');
  assert.equal(queue.mailboxDepthP99, 1);
});
