import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxQueuedRequests, requestBatch } from '../../../src/actors/families/session/limits.ts';
import { RequestQueue } from '../../../src/actors/families/session/request-queue.ts';

const newQueue = () => {
  const turns: (() => void)[] = [];
  const sent: string[] = [];
  const queue = new RequestQueue<number>((task) => turns.push(task));
  const add = (name: string, count: number): void =>
    queue.add(
      Array.from({ length: count }, (_, index) => index),
      (session) => sent.push(`${name}${session}`),
    );
  const turn = (): boolean => {
    turns.shift()?.();
    return turns.length > 0;
  };
  return { add, turn, sent, turns };
};

test('a request for a batch of agents leaves at once', () => {
  const { add, sent, turns } = newQueue();
  add('a', requestBatch - 1);
  add('b', 1);
  assert.equal(sent.length, requestBatch);
  assert.equal(turns.length, 0);
});

test('the event loop turns between the batches, and the order is kept', () => {
  const { add, turn, sent } = newQueue();
  add('a', requestBatch * 2 + 1);
  add('b', 2);
  assert.equal(sent.length, requestBatch);
  let turns = 1;
  while (turn() && turns < 10) turns += 1;
  assert.equal(turns, 2);
  assert.equal(sent.length, requestBatch * 2 + 3);
  assert.deepEqual(sent.slice(-3), [`a${requestBatch * 2}`, 'b0', 'b1']);
});

test('more requests than are kept are written at once', () => {
  const { add, sent } = newQueue();
  add('a', requestBatch + 1);
  for (let n = 1; n < maxQueuedRequests; n += 1) add('b', 1);
  assert.equal(sent.length, requestBatch);
  add('c', 1);
  assert.equal(sent.length, requestBatch + 1 + (maxQueuedRequests - 1) + 1);
});
