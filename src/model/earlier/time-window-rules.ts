// Validation of time windows by weekday, used by `subdue` of checks and `when` of filters.
import { weekdays } from '../silence/window-words.ts';
import { isMap, type Json } from './json.ts';

const knownDays: readonly string[] = ['all', ...weekdays];

/** `9AM`, `09:30`, `17:00:00 UTC`, `5:15 pm +0200`: time of day and optional UTC offset. */
const timePattern =
  /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap]m)?\s*(?:(utc|gmt|z)|([+-]\d{2}):?(\d{2}))?$/i;

export interface ClockTime {
  /** Seconds since midnight. */
  readonly seconds: number;
  /** Minutes east of UTC; null for local time. */
  readonly offsetMinutes: number | null;
}

export const readClockTime = (text: unknown): ClockTime | null => {
  const found = typeof text === 'string' ? timePattern.exec(text.trim()) : null;
  if (found === null) return null;
  const [, hourText = '', minuteText, secondText, half, utc, offsetHours, offsetMinutes] = found;
  if (half === undefined && minuteText === undefined) return null;
  const [hour, minute, second] = [Number(hourText), Number(minuteText ?? 0), Number(secondText ?? 0)];
  if (minute > 59 || second > 59 || (half === undefined ? hour > 24 : hour < 1 || hour > 12)) return null;
  const pm = half?.toLowerCase() === 'pm' ? 12 : 0;
  const full = half === undefined ? hour : (hour % 12) + pm;
  const sign = offsetHours?.startsWith('-') === true ? -1 : 1;
  const offset =
    offsetHours === undefined
      ? utc === undefined
        ? null
        : 0
      : Number(offsetHours) * 60 + sign * Number(offsetMinutes);
  return { seconds: full * 3_600 + minute * 60 + second, offsetMinutes: offset };
};

const windowProblems = (window: unknown, prefix: string): string[] => {
  if (!isMap(window)) return [`${prefix} day time window must be a hash`];
  const valid = readClockTime(window['begin']) !== null && readClockTime(window['end']) !== null;
  return valid ? [] : [`${prefix} day time window begin and end times must be valid`];
};

const dayProblems = ([day, windows]: [string, unknown], prefix: string): string[] => {
  if (!Array.isArray(windows)) return [`${prefix} days ${day} must be in an array`];
  if (windows.length === 0) return [`${prefix} days ${day} must include at least one time window`];
  return windows.flatMap((window) => windowProblems(window, prefix));
};

/** Every message starts with `prefix`, e.g. `check subdue`. */
export const timeWindowProblems = (windows: unknown, prefix: string): string[] => {
  if (!isMap(windows)) return [`${prefix} must be a hash`];
  const days: unknown = windows['days'];
  if (!isMap(days)) return [`${prefix} days must be a hash`];
  const entries = Object.entries(days as Json);
  if (entries.length === 0) return [`${prefix} days must include at least one day of the week or 'all'`];
  if (!entries.every(([day]) => knownDays.includes(day)))
    return [`${prefix} days must be valid days of the week or 'all'`];
  return entries.flatMap((entry) => dayProblems(entry, prefix));
};
