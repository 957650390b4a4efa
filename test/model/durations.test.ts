import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCronFields } from '../../src/model/time/cron-fields.ts';
import { formatDuration, parseDuration } from '../../src/model/time/durations.ts';

test('durations below a microsecond are whole nanoseconds', () => {
  assert.deepEqual([1e-6, 25e-6, 999e-6, 2.4e-6].map(formatDuration), ['1ns', '25ns', '999ns', '2ns']);
});

test('a duration has at most 64 characters', () => {
  const ofLength = (length: number) => `${'0'.repeat(length - 2)}1s`;
  assert.equal(parseDuration(ofLength(64)), 1_000);
  assert.equal(parseDuration(ofLength(65)), null);
});

test('a cron field of commas alone is empty', () => {
  assert.deepEqual(readCronFields(', * * * *'), { ok: false, why: 'minute is empty' });
});
