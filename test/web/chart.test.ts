import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineGraph } from '../../src/http/inspect/machine-graph.ts';
import { activeStateIds } from '../../src/http/inspect/state-value.ts';
import { checkMachine } from '../../src/machines/check/check-machine.ts';
import { entityMachine } from '../../src/machines/entity/entity-machine.ts';
import { placeDeadlines } from '../../web/src/chart/deadline-places.ts';
import { around, firstFrame, roundedPath, zoomed } from '../../web/src/chart/geometry.ts';
import { brief, countdown, duration, severityOf, severityRank } from '../../web/src/lib/format.ts';
import { whyNot } from '../../web/src/lib/guard-words.ts';
import { fc } from '../property.ts';

test('a line keeps its ends and rounds its corners', () => {
  assert.equal(roundedPath([]), '');
  assert.equal(
    roundedPath([
      [0, 0],
      [10, 0],
    ]),
    'M0 0L10 0',
  );
  assert.equal(
    roundedPath([
      [0, 0],
      [20, 0],
      [20, 20],
    ]),
    'M0 0L14 0Q20 0 20 6L20 20',
  );
});

test('zooming keeps the point under the pointer where it is, and has ends', () => {
  const whole = { x: 0, y: 0, width: 800, height: 600 };
  const coordinate = fc.double({ min: 0, max: 600, noNaN: true });
  fc.assert(
    fc.property(coordinate, coordinate, fc.double({ min: 0.2, max: 5, noNaN: true }), (x, y, factor) => {
      const seen = zoomed(whole, whole, factor, [x, y]);
      assert.ok(seen.width >= 160 && seen.width <= 2_000);
      assert.ok(Math.abs((x - seen.x) / seen.width - x / whole.width) < 1e-9);
      assert.ok(Math.abs((y - seen.y) / seen.height - y / whole.height) < 1e-9);
    }),
  );
});

test('a chart opens whole where it can be read, else around what is active, and never beyond its edges', () => {
  const whole = { x: -10, y: -10, width: 1_600, height: 1_200 };
  const focus = around([[200, 900, 100, 60]], whole);
  assert.deepEqual(firstFrame(whole, { width: 1_000, height: 800 }, focus), whole);
  const seen = firstFrame(whole, { width: 340, height: 260 }, focus);
  assert.deepEqual([seen.width, seen.height], [400, 260 / 0.85]);
  assert.ok(seen.x <= 200 && seen.x + seen.width >= 300 && seen.y <= 900 && seen.y + seen.height >= 960);
  const corner = firstFrame(whole, { width: 340, height: 260 }, around([[1_500, 1_150, 80, 30]], whole));
  assert.deepEqual([corner.x + corner.width, corner.y + corner.height], [1_590, 1_190]);
  const apart = around(
    [
      [0, 0, 50, 50],
      [0, 380, 50, 20],
    ],
    whole,
  );
  const both = firstFrame(whole, { width: 340, height: 300 }, apart);
  assert.ok(both.y <= 0 && both.y + both.height >= 400, 'an active state is cut off that had room');
  assert.deepEqual(around([], whole), whole);
});

test('a deadline is shown in the active state of the region that bears its name, else in the only active one', () => {
  const check = machineGraph(checkMachine);
  const active = new Set(
    activeStateIds('check', {
      result: 'failing',
      acknowledgement: 'unacknowledged',
      ttl: 'waiting',
      delivery: 'idle',
    }),
  );
  assert.equal(placeDeadlines(check, active, [{ name: 'ttl', atMs: 1 }])[0]?.state, 'check.ttl.waiting');
  assert.equal(placeDeadlines(check, active, [{ name: 'other', atMs: 1 }])[0]?.state, 'check');
  const entity = machineGraph(entityMachine);
  const registered = new Set(activeStateIds('entity', 'registered'));
  assert.equal(
    placeDeadlines(entity, registered, [{ name: 'keepalive', atMs: 1 }])[0]?.state,
    'entity.registered',
  );
});

test('a guard that says no does so in words', () => {
  const said = [
    'isFlapping',
    'hasNews',
    'expectsAnother',
    'wantsToLeave',
    'fromAgent',
    'and(isA, isB)',
    '',
  ].map(whyNot);
  const wanted = ['is not flapping', 'has no news', 'does not expect another', 'does not want to leave'];
  assert.deepEqual(said, [...wanted, 'not from agent', '', '']);
});

test('severities are ranked worst first', () => {
  const statuses = [0, 3, 1, 2, 127];
  assert.deepEqual([...statuses].sort((a, b) => severityRank(b) - severityRank(a)).map(severityOf), [
    'critical',
    'warning',
    'unknown',
    'unknown',
    'ok',
  ]);
});

test('times are written with the units that say something', () => {
  assert.deepEqual([0, 59, 60, 3_661, 90_000].map(duration), ['0s', '59s', '1m', '1h 1m', '1d 1h']);
  assert.deepEqual([-5, 4_250, 61_000].map(countdown), ['now', '4.3s', '1m 1s']);
  assert.equal(brief({ a: 'x'.repeat(90) }, 10), '{"a":"xxx…');
});
