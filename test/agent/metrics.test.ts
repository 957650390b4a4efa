import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from '../../src/agent/checks/measure.ts';
import { type CheckEvent, eventSchema } from '../../src/model/event/event.ts';
import { fakeClock } from './fake-clock.ts';
import { readableLog } from './helpers.ts';

const now = 1_700_000_000;
const run = (format: string, output: string, check: object = {}) => {
  const event = eventSchema.parse({
    entity: { metadata: { name: 'a' } },
    check: {
      metadata: { name: 'c', namespace: 'default' },
      executed: now - 1,
      output,
      output_metric_format: format,
      output_metric_handlers: ['influx'],
      ...check,
    },
  }) as CheckEvent;
  const { log, lines } = readableLog();
  const measured = measure(event, fakeClock(now * 1000), log);
  return { ...measured, points: measured.metrics?.points ?? [], log: lines() };
};
const tags = (pairs: Record<string, string>) =>
  Object.entries(pairs).map(([name, value]) => ({ name, value }));
const hostTag = { output_metric_tags: tags({ host: 'h' }) };

test('graphite: the tags of the check come before those of the series', () => {
  const { points, metrics } = run('graphite_plaintext', 'a.b;x=y 1.5 1700000000\n', hostTag);
  assert.deepEqual(points, [{ name: 'a.b', value: 1.5, timestamp: now, tags: tags({ host: 'h', x: 'y' }) }]);
  assert.deepEqual(metrics?.handlers, ['influx']);
});

test('nagios: perfdata gets the time of the check; units and bounds are cut off', () => {
  const { points } = run('nagios_perfdata', "OK | load1=0.01;1;2 disk=80% 'free space'=5GB\n");
  assert.deepEqual(
    points.map(({ name, value }) => [name, value]),
    [
      ['load1', 0.01],
      ['disk', 80],
      ["'free space'", 5],
    ],
  );
  assert.equal(points[0]?.timestamp, now - 1);
  assert.deepEqual(run('nagios_perfdata', 'OK | a=1 | b=2').points, []);
});

test('influxdb: one point a field, the first ten digits of the time are seconds', () => {
  const { points } = run('influxdb_line', 'w,l=us t=82,h=30 1465839830100400200');
  assert.deepEqual(points, [
    { name: 'w.t', value: 82, timestamp: 1_465_839_830, tags: tags({ l: 'us' }) },
    { name: 'w.h', value: 30, timestamp: 1_465_839_830, tags: tags({ l: 'us' }) },
  ]);
});

test('influxdb: escapes are supported, a missing time means now, a non-numeric field invalidates only its line', () => {
  const { points, log } = run('influxdb_line', 'a\\ b,l=x\\,y f=1\nw f=82i\nw f=1,g="x"\nw f=2', hostTag);
  assert.deepEqual(points[0], {
    name: 'a b.f',
    value: 1,
    timestamp: now,
    tags: tags({ l: 'x,y', host: 'h' }),
  });
  assert.deepEqual(
    points.map(({ name }) => name),
    ['a b.f', 'w.f'],
  );
  assert.equal(log.filter(({ msg }) => msg === 'unable to extract metric from check output').length, 2);
});

test('opentsdb: milliseconds become seconds, a tag is needed', () => {
  const { points } = run('opentsdb_line', 'sys.cpu 1356998400123 42.5 host=a\nsys.cpu 1356998400 1');
  assert.deepEqual(points, [
    { name: 'sys.cpu', value: 42.5, timestamp: 1_356_998_400, tags: tags({ host: 'a' }) },
  ]);
});

test('prometheus: labels, type and help become tags', () => {
  const { points } = run('prometheus_text', 'http_total{code="200"} 7 1395066363000\n');
  assert.deepEqual(points, [
    {
      name: 'http_total',
      value: 7,
      timestamp: 1_395_066_363,
      tags: tags({ code: '200', prom_type: 'untyped' }),
    },
  ]);
  const typed = run(
    'prometheus_text',
    '# HELP up Is it.\n# TYPE up gauge\nup{host="x",q="a\\"b"} 1\nbad{ 2\nx NaN\n',
    hostTag,
  );
  assert.deepEqual(typed.points, [
    {
      name: 'up',
      value: 1,
      timestamp: now,
      tags: tags({ host: 'h', q: 'a"b', prom_type: 'gauge', prom_help: 'Is it.' }),
    },
  ]);
});

test('prometheus: a histogram without its last bucket gets one', () => {
  const { points } = run('prometheus_text', '# TYPE d histogram\nd_bucket{le="1"} 2\nd_sum 3\nd_count 4\n');
  assert.deepEqual(
    points.map(({ name, value, tags: all }) => [name, value, all?.find((tag) => tag.name === 'le')?.value]),
    [
      ['d_bucket', 2, '1'],
      ['d_sum', 3, undefined],
      ['d_count', 4, undefined],
      ['d_bucket', 4, '+Inf'],
    ],
  );
  assert.ok(
    points.every(({ tags: all }) =>
      all?.some(({ name, value }) => name === 'prom_type' && value === 'histogram'),
    ),
  );
});

test('lines without metrics and numbers that JSON cannot represent are reported and skipped', () => {
  const { points, log } = run('graphite_plaintext', 'a 1 1\nnonsense\nb inf 1\nc 1 1\n');
  assert.deepEqual(
    points.map(({ name }) => name),
    ['a', 'c'],
  );
  assert.equal(log.length, 2);
});

test('nothing extracted is null, and no format means no metrics', () => {
  assert.deepEqual(run('graphite_plaintext', 'x').metrics, { handlers: ['influx'], points: null });
  assert.equal(run('', 'a 1 1', { output_metric_handlers: null }).metrics, undefined);
});

const threshold = (rule: object, more: object = {}) => ({
  output_metric_thresholds: [
    { name: 'load', thresholds: [{ min: '', max: '90', status: 2, ...rule }], ...more },
  ],
});

test('a value beyond its bound raises the status and says so on the event', () => {
  const { check, metadata } = run('graphite_plaintext', 'load 95 1', threshold({}));
  assert.equal(check.status, 2);
  const text = 'The value of load exceeded the configured threshold (max: 90, actual: 95).';
  assert.deepEqual(metadata.annotations, {
    'mon.io/output_metric_thresholds/load/max/critical': text,
    'sensu.io/output_metric_thresholds/load/max/critical': text,
    'mon.io/notifications/critical': text,
    'sensu.io/notifications/critical': text,
  });
});

test('a value at its bound is within it; a failed check is not judged again', () => {
  assert.equal(run('graphite_plaintext', 'load 90 1', threshold({})).check.status, 0);
  assert.equal(run('graphite_plaintext', 'load 95 1', { ...threshold({}), status: 1 }).check.status, 1);
});

test('tags narrow a threshold; a metric that is missing has a status of its own', () => {
  const narrowed = { tags: tags({ host: 'x' }), null_status: 1 };
  assert.equal(run('graphite_plaintext', 'load;host=x 95 1', threshold({}, narrowed)).check.status, 2);
  const { check, metadata } = run('graphite_plaintext', 'load;host=y 95 1', threshold({}, narrowed));
  assert.equal(check.status, 1);
  assert.equal(
    metadata.annotations?.['mon.io/output_metric_thresholds/load.x/null-status/warning'],
    'WARNING : no metric matching "load" (host="x") was found; expected max: 90 (status: critical)',
  );
});

test('the highest status of all violations wins', () => {
  const thresholds = [
    {
      name: 'load',
      thresholds: [
        { min: '', max: '90', status: 1 },
        { min: '', max: '94', status: 2 },
      ],
    },
  ];
  const { check } = run('graphite_plaintext', 'load 95 1', { output_metric_thresholds: thresholds });
  assert.equal(check.status, 2);
});
