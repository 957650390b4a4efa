import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextRun, runAfter } from '../../src/machines/schedule/next-run-rule.ts';
import { delayNs, nextIntervalRun, splayOf } from '../../src/machines/schedule/splay-rule.ts';
import { isSubdued } from '../../src/machines/schedule/subdue-rule.ts';
import { type CheckConfig, checkConfigSchema } from '../../src/model/check/check.ts';
import { fc } from '../property.ts';

const config = (fields: Record<string, unknown>): CheckConfig =>
  checkConfigSchema.parse({ metadata: { name: 'check-cpu', namespace: 'default' }, ...fields });

const at = (text: string): number => Date.parse(text);
const iso = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString().replace('.000Z', 'Z');

describe('splay', () => {
  const vectors: readonly [string, bigint, bigint, bigint, bigint][] = [
    ['check-cpu', 60n, 1_700_000_000_000_000_000n, 260_384_143_942_206_841n, 57_651_758_457n],
    ['disk', 30n, 1_700_000_000_000_000_000n, 14_129_671_233_914_759_285n, 13_914_759_285n],
    ['http-check', 10n, 1_700_000_000_123_456_789n, 4_985_530_524_295_415_897n, 4_171_959_108n],
  ];
  for (const [name, interval, now, splay, delay] of vectors) {
    it(`of ${name} is as the reference product computes it`, () => {
      assert.equal(splayOf(name), splay);
      assert.equal(delayNs(splay, now, interval * 1_000_000_000n), delay);
    });
  }

  it('gives every restart the same phase, always ahead and at most one interval away', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.integer({ min: 1, max: 86_400 }),
        fc.integer({ min: 0, max: 100_000_000 }),
        (name, interval, offset) => {
          const nowMs = 1_700_000_000_000 + offset;
          const next = nextIntervalRun(name, interval, nowMs);
          assert.ok(next > nowMs && next <= nowMs + interval * 1000);
          assert.equal(nextIntervalRun(name, interval, next), next + interval * 1000);
          assert.equal(nextIntervalRun(name, interval, next - 1), next);
        },
      ),
    );
  });
});

describe('the run after a tick', () => {
  const everyTen = config({ interval: 10 });
  const due = nextRun(everyTen, at('2026-03-01T12:00:00Z')) ?? 0;

  it('is one interval later when the tick came on time or a little late or early', () => {
    for (const lateMs of [0, 40, 9_999, -3])
      assert.equal(runAfter(everyTen, due, due + lateMs), due + 10_000);
  });

  it('skips what was missed instead of running it late', () => {
    assert.equal(runAfter(everyTen, due, due + 35_000), due + 40_000);
  });

  it('of @every does not drift with the lateness of its ticks', () => {
    const check = config({ cron: '@every 10s' });
    let run = due;
    for (let n = 0; n < 1_000; n += 1) run = runAfter(check, run, run + 25) ?? 0;
    assert.equal(run, due + 10_000_000);
    assert.equal(runAfter(check, due, due + 35_000), due + 40_000);
    assert.equal(runAfter(check, due, due - 86_400_000), due - 86_400_000 + 10_000);
  });

  it('of @every has the same phase after every restart', () => {
    const check = config({ cron: '@every 1h' });
    const runs = [0, 7, 31, 59].map((minutes) => nextRun(check, due + minutes * 60_000) ?? 0);
    for (const run of runs) assert.equal((run - (runs[0] ?? 0)) % 3_600_000, 0);
  });

  it('neither storms nor stalls when the wall clock jumps', () => {
    const hour = 3_600_000;
    const day = 24 * hour;
    for (const jump of [hour, -hour, day, -day]) {
      const next = runAfter(everyTen, due, due + jump) ?? 0;
      assert.ok(next > due + jump && next <= due + jump + 10_000, `jump ${jump}`);
    }
  });
});

describe('cron', () => {
  const from = at('2026-03-04T10:07:30Z');
  const cases: readonly [string, string | null][] = [
    ['TZ=UTC * * * * *', '2026-03-04T10:08:00Z'],
    ['TZ=UTC */15 * * * *', '2026-03-04T10:15:00Z'],
    ['CRON_TZ=UTC 0 0 * * *', '2026-03-05T00:00:00Z'],
    ['TZ=Asia/Tokyo 0 9 * * *', '2026-03-05T00:00:00Z'],
    ['TZ=UTC 30 9 * JAN MON', '2027-01-04T09:30:00Z'],
    ['TZ=UTC 0 0 1,15 * *', '2026-03-15T00:00:00Z'],
    ['TZ=UTC 0 0 ? * FRI', '2026-03-06T00:00:00Z'],
    ['TZ=UTC 0 0 31 * *', '2026-03-31T00:00:00Z'],
    ['TZ=UTC 0 0 29 2 *', '2028-02-29T00:00:00Z'],
    ['TZ=UTC 0 0 31 2 *', null],
    // Both days restricted: either is enough.
    ['TZ=UTC 0 0 13 * FRI', '2026-03-06T00:00:00Z'],
    ['TZ=UTC @hourly', '2026-03-04T11:00:00Z'],
    ['TZ=UTC @daily', '2026-03-05T00:00:00Z'],
    ['TZ=UTC @weekly', '2026-03-08T00:00:00Z'],
    ['TZ=UTC @monthly', '2026-04-01T00:00:00Z'],
    ['TZ=UTC @yearly', '2027-01-01T00:00:00Z'],
    ['not a cron', null],
  ];
  for (const [cron, expected] of cases) {
    it(`${cron} runs next at ${expected}`, () =>
      assert.equal(iso(nextRun(config({ cron }), from)), expected));
  }

  it('wins over the interval and stays with minutes', () => {
    const check = config({ cron: 'TZ=UTC * * * * *', interval: 10 });
    assert.equal(iso(nextRun(check, at('2026-03-04T10:08:00Z'))), '2026-03-04T10:09:00Z');
  });

  /** All runs of a week around a change of the clock, one after the other as ticks come. */
  const runsOf = (cron: string, begin: string, days: number): string[] => {
    const check = config({ cron });
    const end = at(begin) + days * 86_400_000;
    const runs: string[] = [];
    for (
      let run = nextRun(check, at(begin));
      run !== null && run < end;
      run = runAfter(check, run, run + 5)
    ) {
      runs.push(iso(run) ?? '');
      assert.ok(runs.length < 5_000, 'storm');
    }
    return runs;
  };

  it('runs once a day through the hour that does not exist', () => {
    const runs = runsOf('TZ=America/New_York 30 2 * * *', '2026-03-06T05:00:00Z', 5);
    const days = runs.map((run) => run.slice(0, 10));
    assert.equal(new Set(days).size, days.length, 'no day twice');
    assert.deepEqual(
      runs.filter((run) => !run.startsWith('2026-03-08')),
      ['2026-03-06T07:30:00Z', '2026-03-07T07:30:00Z', '2026-03-09T06:30:00Z', '2026-03-10T06:30:00Z'],
    );
  });

  it('runs once a day through the hour that comes twice', () => {
    const runs = runsOf('TZ=America/New_York 30 1 * * *', '2026-10-30T04:00:00Z', 4);
    assert.equal(runs.length, 4, runs.join(' '));
  });

  it('misses no quarter of an hour on either day', () => {
    for (const day of ['2026-03-08T05:00:00Z', '2026-11-01T04:00:00Z']) {
      const runs = runsOf('TZ=America/New_York */15 * * * *', day, 1).map(at);
      for (const [index, run] of runs.entries()) {
        const before = runs[index - 1];
        if (before !== undefined) assert.equal(run - before, 900_000, `${iso(before)} -> ${iso(run)}`);
      }
    }
  });
});

describe('subdue', () => {
  const rests = (window: Record<string, unknown>, when: string): boolean =>
    isSubdued(config({ interval: 10, subdues: [window] }), at(when));
  const night = { begin: '2026-03-02T17:00:00-07:00', end: '2026-03-03T08:00:00-07:00' };
  const cases: readonly [string, Record<string, unknown>, string, boolean][] = [
    ['a single window before it', night, '2026-03-02T16:59:59-07:00', false],
    ['at its first second', night, '2026-03-02T17:00:00-07:00', true],
    ['through its last second', night, '2026-03-03T08:00:00.999-07:00', true],
    ['after its last second', night, '2026-03-03T08:00:01-07:00', false],
    ['the next day without repeat', night, '2026-03-03T20:00:00-07:00', false],
    ['daily, in the evening', { ...night, repeat: ['daily'] }, '2026-05-05T20:00:00-07:00', true],
    ['daily, after midnight', { ...night, repeat: ['daily'] }, '2026-05-06T02:00:00-07:00', true],
    ['daily, at noon', { ...night, repeat: ['daily'] }, '2026-05-06T12:00:00-07:00', false],
    ['daily, before it ever began', { ...night, repeat: ['daily'] }, '2026-03-01T20:00:00-07:00', false],
    // 2 March 2026 is a Monday.
    ['mondays, on Monday evening', { ...night, repeat: ['mondays'] }, '2026-03-09T20:00:00-07:00', true],
    ['mondays, early on Tuesday', { ...night, repeat: ['mondays'] }, '2026-03-10T02:00:00-07:00', true],
    ['mondays, on Tuesday evening', { ...night, repeat: ['mondays'] }, '2026-03-10T20:00:00-07:00', false],
    ['weekly, on Monday', { ...night, repeat: ['weekly'] }, '2026-03-16T20:00:00-07:00', true],
    ['weekly, on Tuesday evening', { ...night, repeat: ['weekly'] }, '2026-03-17T20:00:00-07:00', false],
    ['weekends, late on Saturday', { ...night, repeat: ['weekends'] }, '2026-03-07T23:00:00-07:00', true],
    ['saturdays, early on Sunday', { ...night, repeat: ['saturdays'] }, '2026-03-08T03:00:00-07:00', true],
    ['weekdays, on Saturday evening', { ...night, repeat: ['weekdays'] }, '2026-03-07T20:00:00-07:00', false],
    [
      'weekdays, Friday night into Saturday',
      { ...night, repeat: ['weekdays'] },
      '2026-03-07T03:00:00-07:00',
      true,
    ],
    ['monthly, on the day', { ...night, repeat: ['monthly'] }, '2026-04-02T20:00:00-07:00', true],
    ['monthly, after midnight', { ...night, repeat: ['monthly'] }, '2026-04-03T02:00:00-07:00', true],
    ['monthly, another day', { ...night, repeat: ['monthly'] }, '2026-04-04T20:00:00-07:00', false],
    ['annually, on the day', { ...night, repeat: ['annually'] }, '2027-03-02T20:00:00-07:00', true],
    ['annually, another month', { ...night, repeat: ['annually'] }, '2027-04-02T20:00:00-07:00', false],
    ['in its own offset, not in UTC', { ...night, repeat: ['mondays'] }, '2026-03-10T00:30:00Z', true],
    [
      'with a window that cannot be read',
      { begin: 'soon', end: 'later' },
      '2026-03-02T20:00:00-07:00',
      false,
    ],
  ];
  for (const [what, window, when, expected] of cases) {
    it(`${expected ? 'rests' : 'runs'}: ${what}`, () => assert.equal(rests(window, when), expected));
  }

  it('rests when any of several windows is open', () => {
    const subdues = [{ begin: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' }, night];
    assert.equal(isSubdued(config({ interval: 1, subdues }), at('2026-03-02T20:00:00-07:00')), true);
    assert.equal(isSubdued(config({ interval: 1 }), at('2026-03-02T20:00:00-07:00')), false);
  });
});
