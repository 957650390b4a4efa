import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenBucket } from '../../src/model/token-bucket.ts';

test('a reserved token comes when its time has come, and can be given back', () => {
  const bucket = createTokenBucket(10, 2, 0);
  assert.deepEqual(
    Array.from({ length: 4 }, () => bucket.reserve(0)),
    [0, 0, 100, 200],
  );
  assert.equal(bucket.reserved, 2);
  bucket.giveBack();
  assert.equal(bucket.reserved, 1);
  assert.equal(bucket.reserve(100), 100);
  assert.equal(bucket.take(199), 101);
});

test('a burst below one counts as one, and a clock that stands still gives nothing', () => {
  const bucket = createTokenBucket(1, 0, 5);
  assert.deepEqual(
    [bucket.take(5), bucket.take(5), bucket.take(4), bucket.take(1_005)],
    [0, 1_000, 1_000, 0],
  );
});

test('without a rate nothing waits', () => {
  const bucket = createTokenBucket(0, 1, 0);
  assert.deepEqual([bucket.reserve(0), bucket.reserve(0), bucket.take(0), bucket.reserved], [0, 0, 0, 0]);
});
