// Checks a client runs by its own clock.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStandalone } from '../../src/client/standalone.ts';
import { isSubdued } from '../../src/model/earlier/subdue.ts';
import { eventually } from './helpers.ts';
import { resultOf, setUp, start } from './whole-client.ts';

describe('standalone checks', () => {
  test('they run by their splay and then every interval, without being asked', async () => {
    const made = setUp(
      { name: 'i-424242' },
      { test: { command: 'echo alone', standalone: true, interval: 60 } },
    );
    made.client.start();
    made.broker.connect();
    await eventually(() => made.broker.takers.size === 3);
    // 1_800_000_000_000 is a multiple of neither interval; the rule itself has its own test.
    await eventually(() => made.waiting() === 2, 'the schedule');
    made.advance(60_000);
    const first = await resultOf(made);
    assert.equal(first.check['output'], 'alone\n');
    assert.equal(first.check['standalone'], true);
    made.advance(60_000);
    await resultOf(made, 1);
    const issued = made.broker.results().map(({ check }) => (check as { issued: number }).issued);
    assert.equal((issued[1] ?? 0) - (issued[0] ?? 0), 60);
  });

  test('a schedule follows cron', async () => {
    const made = await start({}, { hourly: { command: 'true', standalone: true, cron: '@hourly' } });
    await eventually(() => made.waiting() === 2);
    made.advance(3_600_000);
    await resultOf(made);
    made.advance(3_600_000);
    await resultOf(made, 1);
  });

  test('a cron schedule follows the clock on the wall, wherever it is set to', async () => {
    const minuteMs = 60_000;
    const made = await start({}, { hourly: { command: 'true', standalone: true, cron: '@hourly' } });
    await eventually(() => made.waiting() === 2);
    made.advance(10 * minuteMs);
    made.jumpWall(-30 * minuteMs);
    made.advance(20 * minuteMs - 1_000);
    assert.equal(made.broker.results().length, 0);
    made.advance(1_000);
    await resultOf(made);
    made.jumpWall(59 * minuteMs + 59_000);
    made.advance(minuteMs);
    await resultOf(made, 1);
    const issued = made.broker.results().map(({ check }) => (check as { issued: number }).issued % 3_600);
    assert.equal(issued[0], 0);
    assert.ok((issued[1] ?? -1) < 60);
  });

  test('a time window keeps one from running, and says so', async () => {
    const always = { days: { all: [{ begin: '00:00', end: '23:59:59' }] } };
    const made = await start(
      {},
      { quiet: { command: 'true', standalone: true, interval: 10, subdue: always } },
    );
    await eventually(() => made.waiting() === 2);
    made.advance(10_000);
    assert.equal(made.log.told('check execution was subdued').length, 1);
    assert.deepEqual(made.broker.results(), []);
  });

  test('only those that say so and have a time are scheduled', () => {
    assert.equal(isStandalone({ standalone: true, interval: 1 }), true);
    assert.equal(isStandalone({ standalone: true, cron: '@daily' }), true);
    assert.equal(isStandalone({ standalone: true, interval: 1, publish: false }), false);
    assert.equal(isStandalone({ standalone: true }), false);
    assert.equal(isStandalone({ interval: 1 }), false);
  });

  test('windows: by weekday, at an offset, over midnight, both ends included', () => {
    // 2026-11-21 is a Saturday.
    const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
    const day = { days: { saturday: [{ begin: '9:00 UTC', end: '17:00 UTC' }] } };
    assert.deepEqual(
      ['08:59:59', '09:00:00', '17:00:00', '17:00:01'].map((time) => isSubdued(day, at(time))),
      [false, true, true, false],
    );
    assert.equal(isSubdued({ days: { sunday: day.days.saturday } }, at('12:00:00')), false);
    const night = { days: { friday: [{ begin: '10PM UTC', end: '6AM UTC' }] } };
    assert.deepEqual(
      ['05:59:59', '06:00:01', '22:30:00'].map((time) => isSubdued(night, at(time))),
      [true, false, false],
    );
    const east = { days: { all: [{ begin: '12:00 +0200', end: '13:00 +0200' }] } };
    assert.equal(isSubdued(east, at('10:30:00')), true);
    assert.equal(isSubdued(undefined, at('10:30:00')), false);
  });
});
