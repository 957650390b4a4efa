// What is wrong with a result from this machine or of the API, and the times of windows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkResultProblem } from '../../../src/model/earlier/check-rules.ts';
import type { Json } from '../../../src/model/earlier/json.ts';
import { readClockTime } from '../../../src/model/earlier/time-window-rules.ts';

const badCheckName = 'check name cannot contain spaces or special characters';
const badSource = 'check source cannot contain spaces, special characters, or invalid tokens';
const badAggregate = 'check aggregate cannot contain spaces or special characters';

const result = { name: 'cpu', output: 'x', status: 0, executed: 1 };
const results: readonly (readonly [Json, string | undefined])[] = [
  [result, undefined],
  [{ ...result, source: 'sw-1', ttl: 30, ttl_status: 2, anything: { a: 1 } }, undefined],
  [{}, 'check output must be a string'],
  [{ ...result, status: '0' }, 'check status must be an integer'],
  [{ ...result, executed: 1.5 }, 'check executed timestamp must be an integer'],
  [{ ...result, name: 1 }, 'check name must be a string'],
  [{ ...result, name: 'a b' }, badCheckName],
  [{ ...result, handlers: 'x' }, 'check handlers must be an array'],
  [{ ...result, aggregate: 'a b' }, badAggregate],
  [{ ...result, low_flap_threshold: 1 }, 'check high flap threshold must be an integer'],
  [{ ...result, truncate_output: 1 }, 'check truncate_output must be boolean'],
  [{ ...result, source: '' }, badSource],
  [{ ...result, ttl: 0 }, 'check ttl must be greater than 0'],
  [{ ...result, ttl: 1, ttl_status: 'x' }, 'check ttl_status must be an integer'],
];

for (const [check, expected] of results) {
  test(`a result ${JSON.stringify(check)} gets ${expected ?? 'no error'}`, () => {
    assert.equal(checkResultProblem(check), expected);
  });
}

test('times of a window are read in the usual spellings', () => {
  assert.deepEqual(readClockTime('12AM'), { seconds: 0, offsetMinutes: null });
  assert.deepEqual(readClockTime('12:30 pm'), { seconds: 45_000, offsetMinutes: null });
  assert.deepEqual(readClockTime('17:00 UTC'), { seconds: 61_200, offsetMinutes: 0 });
  assert.deepEqual(readClockTime('09:05:07 -03:30'), { seconds: 32_707, offsetMinutes: -210 });
  for (const wrong of ['', 'noon', '25:00', '13PM', '9', 9, null]) assert.equal(readClockTime(wrong), null);
});
