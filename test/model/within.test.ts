import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../../src/model/time/within.ts';

const never = new Promise<never>(() => {});

test('work that is done in time gives its result, and its failure', async () => {
  assert.equal(await within(Promise.resolve('done'), 60_000, () => 'late'), 'done');
  await assert.rejects(
    within(Promise.reject(new Error('broken')), 60_000, () => 'late'),
    /broken/,
  );
});

test('work that takes too long gives the other result, or its error; a later failure is ignored', async () => {
  assert.equal(await within(never, 1, () => 'late'), 'late');
  const refuse = () => {
    throw new Error('too late');
  };
  await assert.rejects(within(never, 1, refuse), /too late/);
  let fail: (error: Error) => void = () => {};
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  assert.equal(await within(work, 1, () => 'late'), 'late');
  // An unhandled rejection would fail this test.
  fail(new Error('nobody waits for this'));
  await new Promise((resolve) => setImmediate(resolve));
});
