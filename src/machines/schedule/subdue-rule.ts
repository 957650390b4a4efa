// Subdue: times in which a check is not run. A window lasts from its begin to its end, both included;
// with `repeat` it comes again on the days named, in the fixed offset its begin was written in. The part of a night window
// that lies after midnight belongs to the day it began.
import type { CheckConfig } from '../../model/check/check.ts';
import { parseSubdue, type RepeatPeriod, type SubdueReading } from '../../model/time/time-windows.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** The second a window ends in is inside it. */
const endSecondMs = 1_000;
/** A window longer than this need not be looked for further back: it repeats before it ends. */
const maxDaysBack = 366;

type Window = Extract<SubdueReading, { ok: true }>;

const sunday = 0;
const saturday = 6;
const weekdayNames = ['sundays', 'mondays', 'tuesdays', 'wednesdays', 'thursdays', 'fridays', 'saturdays'];

/** Whether a window repeats on the day of `start`; both are wall times shifted into the window's own offset. */
const fallsOn = (repeat: RepeatPeriod, start: Date, begin: Date): boolean => {
  const weekday = start.getUTCDay();
  switch (repeat) {
    case 'daily':
      return true;
    case 'weekly':
      return weekday === begin.getUTCDay();
    case 'weekdays':
      return weekday !== sunday && weekday !== saturday;
    case 'weekends':
      return weekday === sunday || weekday === saturday;
    case 'monthly':
      return start.getUTCDate() === begin.getUTCDate();
    case 'annually':
      return start.getUTCDate() === begin.getUTCDate() && start.getUTCMonth() === begin.getUTCMonth();
    default:
      return weekdayNames[weekday] === repeat;
  }
};

const isOpen = (window: Window, nowMs: number): boolean => {
  const { atMs: beginMs, offsetMinutes } = window.begin;
  const lengthMs = window.end.atMs - beginMs + endSecondMs;
  if (nowMs < beginMs) return false;
  if (window.repeat.length === 0) return nowMs < beginMs + lengthMs;
  const shiftMs = offsetMinutes * minuteMs;
  const begin = new Date(beginMs + shiftMs);
  const clockMs = (beginMs + shiftMs) % dayMs;
  const today = Math.floor((nowMs + shiftMs) / dayMs);
  const daysBack = Math.min(Math.ceil(lengthMs / dayMs), maxDaysBack);
  for (let back = 0; back <= daysBack; back += 1) {
    const startMs = (today - back) * dayMs + clockMs;
    const inside = startMs <= nowMs + shiftMs && nowMs + shiftMs < startMs + lengthMs;
    if (!inside || startMs < beginMs + shiftMs) continue;
    const start = new Date(startMs);
    if (window.repeat.some((repeat) => fallsOn(repeat, start, begin))) return true;
  }
  return false;
};

/** Whether a check rests at `nowMs`. A window that cannot be read holds nothing back. */
export const isSubdued = (config: Pick<CheckConfig, 'subdues'>, nowMs: number): boolean =>
  (config.subdues ?? []).some((window) => {
    const reading = parseSubdue(window);
    return reading.ok && isOpen(reading, nowMs);
  });
