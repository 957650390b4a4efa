// The decision table of supervision, whole, and the arithmetic of backing off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExitReason, RestartType, Strategy } from '../../../src/actors/runtime/contract.ts';
import {
  backoffMs,
  createFailureWindow,
  createFaultSpread,
} from '../../../src/actors/runtime/supervision/backoff-rule.ts';
import {
  affectedBy,
  comesBack,
  decideRestart,
} from '../../../src/actors/runtime/supervision/restart-rule.ts';
import { fc } from '../../property.ts';

const reasons: readonly ExitReason[] = [
  { type: 'normal' },
  { type: 'shutdown' },
  { type: 'abnormal', error: new Error('x') },
  { type: 'killed', afterMs: 1 },
];
const strategies: readonly Strategy[] = ['one_for_one', 'one_for_all', 'rest_for_one'];
const scopes = ['self', 'all', 'rest'] as const;

/** Rows: restart type; columns: normal, shutdown, abnormal, killed. */
const restarts: Record<RestartType, readonly [boolean, boolean, boolean, boolean]> = {
  permanent: [true, true, true, true],
  transient: [false, false, true, true],
  temporary: [false, false, false, false],
};

for (const restart of Object.keys(restarts) as RestartType[]) {
  for (const [column, reason] of reasons.entries()) {
    for (const [index, strategy] of strategies.entries()) {
      const expected = restarts[restart][column] === true ? scopes[index] : 'removed';
      test(`${restart} child, ${reason.type} end, ${strategy}: ${expected}`, () => {
        const decision = decideRestart(restart, reason, strategy);
        assert.equal(decision.type === 'restart' ? decision.scope : 'removed', expected);
      });
    }
  }
}

test('the scope names who goes down with the failed child', () => {
  assert.deepEqual(affectedBy('b', ['a', 'b', 'c'], 'self'), ['b']);
  assert.deepEqual(affectedBy('b', ['a', 'b', 'c'], 'all'), ['a', 'b', 'c']);
  assert.deepEqual(affectedBy('b', ['a', 'b', 'c'], 'rest'), ['b', 'c']);
});

test('a temporary bystander does not come back', () => {
  assert.deepEqual(
    ['permanent', 'transient', 'temporary'].map((type) => comesBack(type as RestartType)),
    [true, true, false],
  );
});

test('back-off doubles from one second to a minute', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((attempt) => backoffMs(attempt, 0)),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000],
  );
});

test('jitter adds at most a fifth and never shortens', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, random) => {
        const base = backoffMs(attempt, 0);
        const ms = backoffMs(attempt, random);
        assert.ok(ms >= base && ms <= base * 1.2);
      },
    ),
  );
});

test('the failure window slides', () => {
  const window = createFailureWindow(1_000);
  assert.deepEqual(
    [0, 500, 999, 1_000, 1_500, 5_000].map((time) => window.add(time)),
    [1, 2, 3, 3, 3, 1],
  );
});

test('a fault is shared from more than a tenth of the children on, ten at least', () => {
  let spread = createFaultSpread(30_000);
  for (let index = 0; index < 9; index += 1) assert.equal(spread.add(`c${index}`, index, 20), false);
  assert.equal(spread.add('c0', 9, 20), false, 'the same child twice is one child');
  assert.equal(spread.add('c9', 10, 20), true);
  spread = createFaultSpread(30_000);
  for (let index = 0; index < 10; index += 1) assert.equal(spread.add(`c${index}`, index, 100), false);
  assert.equal(spread.add('c10', 10, 100), true, 'eleven of a hundred');
  spread = createFaultSpread(30_000);
  for (let index = 0; index < 9; index += 1) spread.add(`c${index}`, 0, 20);
  assert.equal(spread.add('late', 30_000, 20), false, 'the others are forgotten after thirty seconds');
});
