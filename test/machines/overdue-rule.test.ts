// When the watchdog takes a schedule for stopped.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextRun } from '../../src/machines/schedule/next-run-rule.ts';
import { judgeSchedule } from '../../src/machines/schedule/overdue-rule.ts';
import { type CheckConfig, checkConfigSchema } from '../../src/model/check/check.ts';
import { fc } from '../property.ts';

const graceMs = 15_000;
const midnight = Date.UTC(2023, 10, 12);

const config = (fields: object): CheckConfig =>
  checkConfigSchema.parse({ metadata: { name: 'cpu' }, publish: true, interval: 60, ...fields });

describe('a schedule', () => {
  const window = (begin: string, end: string) => ({
    subdues: [{ begin: `2023-11-12T${begin}Z`, end: `2023-11-12T${end}Z` }],
  });
  const table: readonly (readonly [what: string, fields: object, minutes: number, judged: string])[] = [
    ['that is not published is never late', { publish: false }, 600, 'unpublished'],
    ['that rests now is not late', window('00:00:00', '02:00:00'), 60, 'subdued'],
    ['that rested until just now is not late', window('00:00:00', '00:59:58'), 60, 'notYet'],
    ['that rested until an hour ago is late', window('00:00:00', '00:30:00'), 90, 'overdue'],
    ['of a day that never comes is not late', { interval: 0, cron: '0 0 30 2 *' }, 600, 'neverDue'],
    ['of every hour is not late after ten minutes', { interval: 0, cron: '0 * * * *' }, 10, 'notYet'],
    ['of every hour is late after two', { interval: 0, cron: '0 * * * *' }, 120, 'overdue'],
    ['without any time is not late', { interval: 0 }, 600, 'neverDue'],
  ];
  for (const [what, fields, minutes, judged] of table) {
    it(what, () => {
      const watched = { config: config(fields), sinceMs: midnight + 1 };
      const judgement = judgeSchedule(watched, midnight + minutes * 60_000, graceMs);
      assert.equal(judgement.overdue ? 'overdue' : judgement.why, judged);
    });
  }

  it('is late from the end of its grace on, and not a millisecond before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400 }), fc.nat({ max: 10_000_000 }), (interval, after) => {
        const watched = { config: config({ interval }), sinceMs: midnight + after };
        const due = nextRun(watched.config, watched.sinceMs);
        assert.ok(due !== null);
        assert.equal(judgeSchedule(watched, due + graceMs, graceMs).overdue, false);
        assert.deepEqual(judgeSchedule(watched, due + graceMs + 1, graceMs), { overdue: true, dueMs: due });
      }),
    );
  });
});
