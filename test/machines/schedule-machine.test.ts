import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  ScheduleContext,
  ScheduleEffect,
  ScheduleFact,
} from '../../src/machines/schedule/schedule-facts.ts';
import { scheduleMachine } from '../../src/machines/schedule/schedule-machine.ts';
import { type CheckConfig, checkConfigSchema } from '../../src/model/check/check.ts';
import { stepUntil } from '../eventually.ts';
import { bring, type Live } from './harness.ts';

type LiveSchedule = Live<ScheduleFact, ScheduleEffect>;

const config = (fields: Record<string, unknown> = {}): CheckConfig =>
  checkConfigSchema.parse({
    metadata: { name: 'cpu', namespace: 'default' },
    interval: 10,
    publish: true,
    subscriptions: ['linux'],
    ...fields,
  });

const startMs = Date.parse('2026-03-04T10:00:00Z');
const start = (definition = config()): LiveSchedule => {
  const schedule: LiveSchedule = bring(scheduleMachine, { input: { config: definition } });
  schedule.send({ type: 'check.defined', config: definition, nowMs: startMs });
  return schedule;
};
const nextAt = (schedule: LiveSchedule): number =>
  (schedule.snapshot().context as ScheduleContext).nextAtMs ?? 0;
const tick = (schedule: LiveSchedule, nowMs = nextAt(schedule)): ScheduleEffect[] =>
  schedule.send({ type: 'deadline.reached', name: 'tick', nowMs });
const done = (schedule: LiveSchedule): void => void schedule.send({ type: 'request.issued', nowMs: 0 });
const issuedOf = (effects: readonly ScheduleEffect[]): number[] =>
  effects.flatMap((effect) => (effect.type === 'request.issue' ? effect.issuedSeconds : []));

describe('the schedule machine', () => {
  it('issues one request a tick and waits for the next', () => {
    const schedule = start();
    const first = nextAt(schedule);
    for (let n = 0; n < 5; n += 1) {
      assert.deepEqual(issuedOf(tick(schedule, first + n * 10_000 + 3)), [
        Math.floor((first + n * 10_000 + 3) / 1000),
      ]);
      assert.equal(schedule.snapshot().value, 'firing');
      done(schedule);
      assert.equal(nextAt(schedule), first + (n + 1) * 10_000);
    }
  });

  it('does nothing while unpublished', () => {
    const schedule = start(config({ publish: false }));
    assert.equal(schedule.snapshot().value, 'unpublished');
    assert.deepEqual(tick(schedule, startMs + 60_000), []);
  });

  it('lets ticks in a subdue window pass, and its clock goes on', () => {
    const schedule = start(
      config({ subdues: [{ begin: '2026-03-04T09:00:00Z', end: '2026-03-04T10:00:14Z' }] }),
    );
    assert.deepEqual(issuedOf(tick(schedule)), []);
    assert.equal(schedule.snapshot().value, 'subdued');
    stepUntil(
      'the end of the window',
      () => nextAt(schedule) >= startMs + 15_000,
      () => assert.deepEqual(issuedOf(tick(schedule)), []),
      1_000,
    );
    assert.equal(issuedOf(tick(schedule)).length, 1);
  });

  it('keeps its tick when a change leaves the timing alone', () => {
    const schedule = start();
    const before = nextAt(schedule);
    schedule.send({ type: 'check.defined', config: config({ command: 'new' }), nowMs: startMs + 1 });
    assert.equal(nextAt(schedule), before);
    const effects = tick(schedule);
    const request = effects.find(({ type }) => type === 'request.issue');
    assert.equal(request?.type === 'request.issue' && request.config.command, 'new');
  });

  it('starts over with a new interval or cron', () => {
    const schedule = start();
    schedule.send({
      type: 'check.defined',
      config: config({ interval: 0, cron: 'TZ=UTC 0 12 * * *' }),
      nowMs: startMs,
    });
    assert.equal(nextAt(schedule), Date.parse('2026-03-04T12:00:00Z'));
    schedule.send({ type: 'check.defined', config: config({ interval: 3600 }), nowMs: startMs });
    assert.ok(nextAt(schedule) <= startMs + 3_600_000);
  });

  it('runs a late tick once and lets go what was missed', () => {
    const schedule = start();
    const first = nextAt(schedule);
    assert.equal(issuedOf(tick(schedule, first + 47_000)).length, 1);
    done(schedule);
    assert.equal(nextAt(schedule), first + 50_000);
  });

  it('never overlaps itself: a tick while the last request goes out is skipped and counted', () => {
    const schedule = start();
    tick(schedule);
    assert.deepEqual(issuedOf(tick(schedule)), []);
    assert.equal((schedule.snapshot().context as ScheduleContext).skipped, 1);
    done(schedule);
    assert.equal(issuedOf(tick(schedule)).length, 1);
  });

  it('goes on at the next match after the wall clock was set back or forth', () => {
    for (const jump of [-86_400_000, -3_600_000, 3_600_000, 86_400_000]) {
      const schedule = start();
      const first = nextAt(schedule);
      assert.ok(issuedOf(tick(schedule, first + jump)).length <= 1);
      done(schedule);
      assert.ok(nextAt(schedule) - (first + jump) <= 10_000, `jump ${jump}`);
      assert.ok(nextAt(schedule) > first + jump);
    }
  });

  it('waits for the wall clock with a cron schedule, for time to pass with an interval', () => {
    const anchorsOf = (fields: Record<string, unknown>): string[] =>
      tick(start(config(fields))).flatMap((effect) => (effect.type === 'deadline.set' ? effect.anchor : []));
    assert.deepEqual(anchorsOf({}), ['elapsed']);
    assert.deepEqual(anchorsOf({ interval: 0, cron: '@every 1m' }), ['elapsed']);
    assert.deepEqual(anchorsOf({ interval: 0, cron: 'TZ=UTC */5 * * * *' }), ['wall']);
  });

  it('does not run a cron check because the wall clock was set back: it plans anew', () => {
    for (const jump of [3_600_000, 86_400_000, 754_321]) {
      const schedule = start(config({ interval: 0, cron: 'TZ=UTC */5 * * * *' }));
      const nowMs = nextAt(schedule) - 100_000 - jump;
      assert.deepEqual(issuedOf(tick(schedule, nowMs)), []);
      assert.equal(schedule.snapshot().value, 'waiting');
      assert.ok(nextAt(schedule) > nowMs && nextAt(schedule) - nowMs <= 300_000, `jump ${jump}`);
      assert.equal(nextAt(schedule) % 300_000, 0);
      assert.equal(issuedOf(tick(schedule)).length, 1);
    }
  });

  it('ends when the definition is deleted', () => {
    const schedule = start();
    assert.deepEqual(schedule.send({ type: 'check.removed' }), [{ type: 'deadline.clear', name: 'tick' }]);
    assert.equal(schedule.snapshot().status, 'done');
  });
});
