// The last look for problems: what counts as found twice in a row, also over a restart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastLook, lookMs, untilNextLookMs } from '../../../src/actors/problems/last-look.ts';

/** A table of one record, and looks of processes that follow each other on it. */
const processes = () => {
  let kept: Readonly<Record<string, unknown>> | undefined;
  const state = { nowMs: 1_700_000_000_000, writes: 0 };
  const start = (): LastLook =>
    new LastLook({
      name: 'backend-1',
      table: {
        get: () => kept,
        put: async (_id, resource) => {
          kept = resource;
          state.writes += 1;
          return { created: false };
        },
      },
      nowMs: () => state.nowMs,
      onFault: (error) => assert.fail(String(error)),
    });
  return { state, start };
};

test('a look of the process before counts for three intervals', () => {
  for (const [laterMs, expected] of [
    [lookMs, true],
    [3 * lookMs, true],
    [3 * lookMs + 1, false],
    // The wall clock was set back meanwhile.
    [-1, false],
  ] as const) {
    const { state, start } = processes();
    assert.equal(start().repeats('a handler is missing', false), false);
    state.nowMs += laterMs;
    assert.equal(start().repeats('a handler is missing', false), expected, `${laterMs} ms later`);
  }
});

test('what differs from the look before is not repeated', () => {
  const { start } = processes();
  const look = start();
  assert.equal(look.repeats('a', false), false);
  assert.equal(look.repeats('b', false), false);
  assert.equal(look.repeats('b', false), true);
  assert.equal(start().repeats('a', false), false);
});

test('nothing is written while nothing was ever wrong, and only changes after that', () => {
  const { state, start } = processes();
  const look = start();
  for (let count = 0; count < 3; count += 1) look.repeats('all is well', true);
  assert.equal(state.writes, 0);
  for (let count = 0; count < 3; count += 1) look.repeats('a handler is missing', false);
  assert.equal(state.writes, 1);
  for (let count = 0; count < 3; count += 1) look.repeats('all is well', true);
  assert.equal(state.writes, 2);
});

test('looks come at whole multiples of the interval, and a timer that fires early is not followed by another at once', () => {
  assert.equal(untilNextLookMs(20_000, true), lookMs);
  assert.equal(untilNextLookMs(29_999, true), 1);
  assert.equal(untilNextLookMs(29_999, false), lookMs + 1);
  assert.equal(untilNextLookMs(33_000, false), 7_000);
});
