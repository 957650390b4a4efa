// Periods in which a check does not run: windows by weekday, in local time or at a UTC offset. Both ends are
// inclusive. A window whose end is before its start crosses midnight. Pure.

import { weekdays } from '../silence/window-words.ts';
import { isMap } from './json.ts';
import { type ClockTime, readClockTime } from './time-window-rules.ts';

interface Moment {
  readonly day: number;
  readonly seconds: number;
}

const daySeconds = 86_400;

/** Weekday and seconds since midnight in the time zone of the window. */
const momentAt = (nowMs: number, offsetMinutes: number | null): Moment => {
  const date = new Date(nowMs);
  const offset = offsetMinutes ?? -date.getTimezoneOffset();
  const shifted = new Date(nowMs + offset * 60_000);
  return {
    day: shifted.getUTCDay(),
    seconds: shifted.getUTCHours() * 3_600 + shifted.getUTCMinutes() * 60 + shifted.getUTCSeconds(),
  };
};

const isInside = ({ seconds }: Moment, begin: ClockTime, end: ClockTime): boolean =>
  begin.seconds <= end.seconds
    ? seconds >= begin.seconds && seconds <= end.seconds
    : seconds >= begin.seconds || seconds <= end.seconds;

/** A window across midnight belongs to the day it starts on, so after midnight that is the previous day. */
const dayOf = (moment: Moment, begin: ClockTime, end: ClockTime): string => {
  const late = begin.seconds > end.seconds && moment.seconds <= end.seconds;
  return weekdays[(moment.day + (late ? 6 : 0)) % 7] ?? '';
};

const holds = (day: string, window: unknown, nowMs: number): boolean => {
  if (!isMap(window)) return false;
  const [begin, end] = [readClockTime(window['begin']), readClockTime(window['end'])];
  if (begin === null || end === null || begin.seconds > daySeconds) return false;
  const moment = momentAt(nowMs, begin.offsetMinutes);
  return isInside(moment, begin, end) && (day === 'all' || day === dayOf(moment, begin, end));
};

export const isSubdued = (subdue: unknown, nowMs: number): boolean => {
  const days = isMap(subdue) && isMap(subdue['days']) ? subdue['days'] : {};
  return Object.entries(days).some(
    ([day, windows]) => Array.isArray(windows) && windows.some((window) => holds(day, window, nowMs)),
  );
};
