// Time windows in two notations: `subdues` of checks (RFC 3339 with repeats) and `when` of event filters (times of
// day by weekday). Parsed and validated here; evaluated by the schedule and the filters.
import { z } from 'zod';
import type { SubdueWindow } from '../check/check.ts';
import { decode } from '../schema/decode.ts';
import { list } from '../schema/quick-types.ts';

const repeatPeriods = [
  'annually',
  'monthly',
  'weekly',
  'weekdays',
  'weekends',
  'daily',
  'sundays',
  'mondays',
  'tuesdays',
  'wednesdays',
  'thursdays',
  'fridays',
  'saturdays',
] as const;
export type RepeatPeriod = (typeof repeatPeriods)[number];

const isRepeat = (word: string): word is RepeatPeriod => (repeatPeriods as readonly string[]).includes(word);

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

export interface Instant {
  readonly atMs: number;
  /** Minutes east of UTC. Repeats are computed with this fixed offset. */
  readonly offsetMinutes: number;
}

const maxHour = 23;

const isCalendarDay = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};

/** An RFC 3339 time with its zone, or null. */
export const parseInstant = (text: string): Instant | null => {
  const match = rfc3339.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, , , sign, hours, minutes] = match;
  if (Number(hour) > maxHour || !isCalendarDay(Number(year), Number(month), Number(day))) return null;
  const atMs = Date.parse(text.toUpperCase());
  if (Number.isNaN(atMs)) return null;
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return { atMs, offsetMinutes: sign === '-' ? -offset : offset };
};

export type SubdueReading =
  | {
      readonly ok: true;
      readonly begin: Instant;
      readonly end: Instant;
      readonly repeat: readonly RepeatPeriod[];
    }
  | { readonly ok: false; readonly why: string };

export const parseSubdue = (window: SubdueWindow): SubdueReading => {
  const begin = parseInstant(window.begin);
  if (begin === null) return { ok: false, why: `invalid begin time format: ${JSON.stringify(window.begin)}` };
  const end = parseInstant(window.end);
  if (end === null) return { ok: false, why: `invalid end time format: ${JSON.stringify(window.end)}` };
  if (end.atMs < begin.atMs) return { ok: false, why: 'end time must be after begin time' };
  const repeat: RepeatPeriod[] = [];
  for (const word of window.repeat ?? []) {
    if (!isRepeat(word))
      return { ok: false, why: `invalid repeat period: ${word} (use ${repeatPeriods.join(', ')})` };
    repeat.push(word);
  }
  return { ok: true, begin, end, repeat };
};

/** Why the older form of subdue, `{"days": {"all": [{"begin": "5:00 PM", ...}]}}`, is invalid, or null. */
export const subdueFault = (subdue: unknown): string | null => {
  if (subdue === null || subdue === undefined) return null;
  const read = decode(whenSchema, subdue, 'subdue');
  if (!read.ok) return read.message;
  const fault = whenFault(read.value);
  return fault === null ? null : `subdue invalid: ${fault}`;
};

/** `subdue 0 invalid: end time must be after begin time`, or null. */
export const subduesFault = (windows: readonly SubdueWindow[]): string | null => {
  for (const [index, window] of windows.entries()) {
    const reading = parseSubdue(window);
    if (!reading.ok) return `subdue ${index} invalid: ${reading.why}`;
  }
  return null;
};

const clockWindows = list(
  z.object({
    begin: z.string().describe('As 5:00 PM, in UTC.'),
    end: z.string().describe('As 8:00 AM, in UTC; before the begin: on the next day.'),
  }),
)
  .nullish()
  .transform((windows) => windows ?? [])
  .describe('Windows of time.');

/** `{"days": {"all": [{"begin": "5:00 PM", "end": "8:00 AM"}], "monday": [...]}}`, in UTC. */
export const whenSchema = z.object({
  days: z
    .object({
      all: clockWindows,
      sunday: clockWindows,
      monday: clockWindows,
      tuesday: clockWindows,
      wednesday: clockWindows,
      thursday: clockWindows,
      friday: clockWindows,
      saturday: clockWindows,
    })
    .prefault({})
    .describe('Windows by day of the week; all: every day.'),
});
export type When = z.infer<typeof whenSchema>;

const clock = /^(\d{1,2}):(\d{2})(AM|PM)$/;

/** Minutes after midnight of `5:00 PM` (spaces and case are ignored), or null. */
export const parseClock = (text: string): number | null => {
  const match = clock.exec(text.replaceAll(' ', '').toUpperCase());
  if (match === null) return null;
  const hour = Number(match[1]);
  const minute = Number(match[2]);
  if (hour < 1 || hour > 12 || minute > 59) return null;
  return (hour % 12) * 60 + minute + (match[3] === 'PM' ? 720 : 0);
};

/** Why the times of a `when` are invalid, or null. */
export const whenFault = (when: When): string | null => {
  for (const [day, windows] of Object.entries(when.days)) {
    for (const { begin, end } of windows) {
      for (const time of [begin, end]) {
        if (parseClock(time) === null) {
          return `when.days.${day}: ${JSON.stringify(time)} is not a time of day like "3:00 PM"`;
        }
      }
    }
  }
  return null;
};
