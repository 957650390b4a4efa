// Regular windows of silences: when they are open, and how they are written.
import assert from 'node:assert/strict';
import test from 'node:test';
import { nextLookMs } from '../../src/machines/silence/silence-time-rule.ts';
import {
  isInWindow,
  readWindow,
  type SilenceWindow,
  silenceWindowsFault,
} from '../../src/model/silence/silence-windows.ts';
import { silencedSchema } from '../../src/model/silence/silenced.ts';
import { describeWindow } from '../../src/model/silence/window-words.ts';
import { fc } from '../property.ts';

const window = (fields: Partial<SilenceWindow>): SilenceWindow => ({
  days: ['sunday'],
  begin: '02:00',
  end: '04:00',
  time_zone: 'Europe/Berlin',
  ...fields,
});
const at = (time: string): number => Date.parse(time);

test('a window is open on its days between its times, in its time zone', () => {
  const open = (time: string, fields: Partial<SilenceWindow> = {}) => isInWindow([window(fields)], at(time));
  // 2026-11-22 is a Sunday; Berlin is an hour ahead of UTC in winter.
  assert.equal(open('2026-11-22T00:59:59Z'), false);
  assert.equal(open('2026-11-22T01:00:00Z'), true);
  assert.equal(open('2026-11-22T02:59:59Z'), true);
  assert.equal(open('2026-11-22T03:00:00Z'), false);
  assert.equal(open('2026-11-23T01:30:00Z'), false);
  assert.equal(open('2026-11-23T01:30:00Z', { days: [] }), true);
  assert.equal(open('2026-11-22T02:30:00Z', { time_zone: 'UTC' }), true);
  assert.equal(isInWindow([], 0), true);
  assert.equal(isInWindow([window({ days: ['monday'] }), window({})], at('2026-11-22T01:00:00Z')), true);
});

test('a window that ends before it begins goes on after midnight, on the day after its own', () => {
  const night = [window({ begin: '22:00', end: '06:00', time_zone: 'UTC' })];
  assert.equal(isInWindow(night, at('2026-11-22T21:59:00Z')), false);
  assert.equal(isInWindow(night, at('2026-11-22T23:00:00Z')), true);
  assert.equal(isInWindow(night, at('2026-11-23T05:59:00Z')), true);
  assert.equal(isInWindow(night, at('2026-11-23T06:00:00Z')), false);
  assert.equal(isInWindow(night, at('2026-11-22T05:00:00Z')), false);
  const day = [window({ begin: '00:00', end: '24:00', time_zone: 'UTC' })];
  assert.equal(isInWindow(day, at('2026-11-22T23:59:59Z')), true);
  assert.equal(isInWindow(day, at('2026-11-23T00:00:00Z')), false);
});

test('a window keeps its times of day when the clocks change', () => {
  // On 2026-03-29 at 02:00 the clocks of Berlin go to 03:00, on 2026-10-25 at 03:00 back to 02:00.
  const open = (time: string) => isInWindow([window({})], at(time));
  assert.deepEqual(
    ['2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:59:00Z', '2026-03-29T02:00:00Z'].map(
      open,
    ),
    [false, true, true, false],
  );
  assert.deepEqual(
    ['2026-10-24T23:59:00Z', '2026-10-25T00:00:00Z', '2026-10-25T02:59:00Z', '2026-10-25T03:00:00Z'].map(
      open,
    ),
    [false, true, true, false],
  );
});

const anyWindow = fc.record({
  days: fc.uniqueArray(fc.constantFrom('sunday', 'monday', 'wednesday', 'saturday')),
  begin: fc.constantFrom('00:00', '02:00', '02:30', '22:15'),
  end: fc.constantFrom('02:45', '04:00', '23:59', '24:00'),
  time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
});

test('a silence is looked at whenever a window opens or closes, and nothing changes in between', () => {
  fc.assert(
    fc.property(
      fc.array(anyWindow, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: at('2026-03-20T00:00:00Z'), max: at('2026-12-01T00:00:00Z') }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
      (windows, nowMs, parts) => {
        const next = nextLookMs({ beginMs: 0, endMs: null, windows }, nowMs);
        assert.ok(next !== null && next > nowMs);
        for (const part of parts) {
          const betweenMs = Math.floor(nowMs + (next - 1 - nowMs) * part);
          assert.equal(isInWindow(windows, betweenMs), isInWindow(windows, nowMs));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('what is wrong with a window is said with its place', () => {
  const told = (fields: Partial<SilenceWindow>) => silenceWindowsFault([window({}), window(fields)]);
  assert.equal(told({}), null);
  assert.match(told({ days: ['sun'] }) ?? '', /^silenced\.windows\[1\]\.days: "sun" is not a day/);
  assert.match(told({ begin: '2:00' }) ?? '', /windows\[1\]\.begin must be a time of day such as 02:00/);
  assert.match(told({ begin: '24:00' }) ?? '', /begin must be/);
  assert.match(told({ end: '25:00' }) ?? '', /end must be/);
  assert.match(told({ end: '02:00' }) ?? '', /begin and end are both 02:00/);
  assert.match(told({ time_zone: 'Mars/North' }) ?? '', /"Mars\/North" is not a known time zone/);
  const windows = Array.from({ length: 33 }, () => window({}));
  assert.equal(silencedSchema.safeParse({ check: 'cpu', windows }).success, false);
  assert.equal(silencedSchema.safeParse({ check: 'cpu', windows: windows.slice(1) }).success, true);
});

test('a window is written in one line', () => {
  assert.deepEqual(readWindow('sunday 2:00-04:00 Europe/Berlin', 'UTC'), window({}));
  assert.deepEqual(
    readWindow('mon,Tues 22:00-06:00', 'UTC'),
    window({ days: ['monday', 'tuesday'], begin: '22:00', end: '06:00', time_zone: 'UTC' }),
  );
  assert.deepEqual(readWindow('daily 00:00-24:00', 'UTC'), {
    days: [],
    begin: '00:00',
    end: '24:00',
    time_zone: 'UTC',
  });
  assert.match(String(readWindow('someday 02:00-04:00', 'UTC')), /"someday" is not a day/);
  assert.match(String(readWindow('sunday', 'UTC')), /a window is written as/);
  assert.match(String(readWindow('sunday 02:00-04:00 Mars', 'UTC')), /time_zone: "Mars"/);
  assert.equal(describeWindow(window({})), 'Sun 02:00-04:00 Europe/Berlin');
});
