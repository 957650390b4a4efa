import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStatsdAggregate } from '../../src/agent/statsd/statsd-aggregate.ts';
import { parseLine, splitLines } from '../../src/agent/statsd/statsd-lines.ts';

const pointsOf = (lines: readonly string[], seconds = 10) => {
  const aggregate = createStatsdAggregate(0);
  for (const line of lines) {
    const sample = parseLine(line, '127.0.0.1');
    assert.notEqual(sample, null, line);
    if (sample !== null) aggregate.add(sample, 0);
  }
  return { aggregate, points: aggregate.flush(seconds * 1000) };
};
const valuesOf = (points: readonly { name: string; value: number }[]) =>
  Object.fromEntries(points.map(({ name, value }) => [name, value]));

test('a counter is summed and divided by the time since the last flush', () => {
  const { points } = pointsOf(['foo:1|c', 'foo:1|c']);
  assert.deepEqual(valuesOf(points), { 'foo.value': 2, 'foo.per_second': 0.2 });
  assert.deepEqual(points[0]?.tags, [{ name: 's', value: '127.0.0.1' }]);
});

test('a sampled counter is scaled by its rate', () => {
  assert.equal(valuesOf(pointsOf(['foo:1|c|@0.1']).points)['foo.value'], 10);
});

test('a timer tells its distribution', () => {
  assert.deepEqual(valuesOf(pointsOf(['t:10|ms', 't:20|ms']).points), {
    't.min': 10,
    't.max': 20,
    't.count': 2,
    't.per_second': 0.2,
    't.mean': 15,
    't.median': 15,
    't.stddev': 5,
    't.sum': 30,
    't.sum_squares': 500,
    't.percentile_count_90': 2,
    't.percentile_mean_90': 15,
    't.percentile_sum_90': 30,
    't.percentile_sum_squares_90': 500,
    't.percentile_upper_90': 20,
  });
});

test('timings are ordered as numbers', () => {
  const values = valuesOf(pointsOf(['t:100|ms', 't:9|ms', 't:20|ms']).points);
  assert.deepEqual([values['t.min'], values['t.median'], values['t.max']], [9, 20, 100]);
});

test('a gauge keeps its last value, a set counts what differs', () => {
  const values = valuesOf(pointsOf(['g:3|g', 'g:+5|g', 's:a|s', 's:b|s', 's:a|s']).points);
  assert.deepEqual([values['g.value'], values['s.value']], [5, 2]);
});

test('tags tell series apart, whatever their order', () => {
  const { points } = pointsOf(['c:1|c|#b:2,a:1', 'c:1|c|#a:1,b:2', 'c:1|c|@1|#a:9']);
  const values = points.filter(({ name }) => name === 'c.value').map(({ value }) => value);
  assert.deepEqual(values, [2, 1]);
});

test('an idle series is reported for five minutes, then forgotten', () => {
  const { aggregate } = pointsOf(['foo:1|c', 'g:7|g']);
  assert.deepEqual(valuesOf(aggregate.flush(299_999)), { 'foo.value': 0, 'foo.per_second': 0, 'g.value': 7 });
  assert.deepEqual(aggregate.flush(300_000), []);
});

test('names are cleaned and bad lines are none', () => {
  assert.equal(parseLine('a/b c$d:1|c', 'x')?.name, 'a-b_cd');
  for (const line of [
    '',
    'foo',
    'foo:1',
    ':1|c',
    '$:1|c',
    'foo:x|c',
    'foo:1|z',
    'foo:NaN|g',
    'foo:1|c\r',
    'a:1|c|x',
    'a:1|constructor',
  ])
    assert.equal(parseLine(line, 'x'), null, line);
  assert.deepEqual(splitLines('a\nb\n'), ['a', 'b']);
});
