// Turns: never more tasks at once than allowed, in order, also after failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from '../../src/assets/turns.ts';

test('at most two tasks run at once, in order, whether they fail or not', async () => {
  const inTurn = createTurns(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const task = (number: number) => async (): Promise<void> => {
    started.push(number);
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    running -= 1;
    if (number % 3 === 0) throw new Error(`task ${number} failed`);
  };
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  const outcome = (number: number): Promise<string> =>
    inTurn(task(number)).then(
      () => 'done',
      () => 'failed',
    );
  const first = numbers.map(outcome);
  // More arrive while slots are handed over.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  const later = numbers.map((number) => outcome(number + 12));
  const ended = await Promise.all([...first, ...later]);
  assert.equal(most, 2);
  assert.deepEqual(started, [...numbers, ...numbers.map((number) => number + 12)]);
  assert.equal(ended.filter((end) => end === 'failed').length, 8);
  await inTurn(task(1));
  assert.equal(most, 2);
});
