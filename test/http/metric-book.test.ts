// Metrics as they are written for Prometheus: histograms, queues and their peaks.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Histogram } from '../../src/actors/runtime/load/histogram.ts';
import { createMetricBook } from '../../src/http/metric-book.ts';
import { QueuePeaks } from '../../src/http/queue-peaks.ts';

test('a bucket counts what is at most its bound; buckets add up', async (t) => {
  const book = createMetricBook(() => 0);
  t.after(() => book.close());
  const histogram = new Histogram([1, 2]);
  for (const value of [1, 1.5, 2, 3, 0]) histogram.observe(value);
  book.histogram({ name: 'mon_test_seconds', help: 'x', labels: ['kind'] }, () => [
    [{ kind: 'a"b' }, histogram.read()],
  ]);
  const lines = (await book.text()).split('\n').filter((line) => line.includes('mon_test'));
  assert.deepEqual(lines, [
    '# HELP mon_test_seconds x',
    '# TYPE mon_test_seconds histogram',
    'mon_test_seconds_bucket{kind="a\\"b",le="1"} 2',
    'mon_test_seconds_bucket{kind="a\\"b",le="2"} 4',
    'mon_test_seconds_bucket{kind="a\\"b",le="+Inf"} 5',
    'mon_test_seconds_sum{kind="a\\"b"} 7.5',
    'mon_test_seconds_count{kind="a\\"b"} 5',
  ]);
});

test('a metric is shown once', (t) => {
  const book = createMetricBook(() => 0);
  t.after(() => book.close());
  book.gauge({ name: 'mon_twice', help: 'x' }, () => 1);
  assert.throws(() => book.gauge({ name: 'mon_twice', help: 'y' }, () => 2), /mon_twice exists already/);
});

test('the peak of a queue is kept for a minute, and forgotten after two', (t) => {
  let nowMs = 0;
  let length = 7;
  const queue = { queue: 'q', read: () => length };
  const peaks = new QueuePeaks([queue], () => nowMs);
  t.after(() => peaks.close());
  peaks.look();
  length = 2;
  for (const [atMs, peak] of [
    [59_000, 7],
    [60_000, 7],
    [119_000, 7],
    [120_000, 2],
  ] as const) {
    nowMs = atMs;
    peaks.look();
    assert.equal(peaks.of(queue), peak, `at ${atMs} ms`);
  }
  length = 9;
  assert.equal(peaks.of(queue), 9, 'the length of this moment counts too');
});
