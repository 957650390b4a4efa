// The regular windows of a silence: "every Sunday from 02:00 to 04:00 in Berlin". A window is a rule about the clock on
// the wall of its time zone, so it keeps its times of day when clocks change: it is an hour longer or shorter then.
import { z } from 'zod';
import { maxSilenceWindows } from '../limits.ts';
import { remember } from '../memo.ts';
import { list, stringList, text } from '../schema/quick-types.ts';
import { isTimeZone } from '../time/cron.ts';
import { weekdays } from './window-words.ts';

const silenceWindowSchema = z.object({
  days: stringList(weekdays.length).describe('Days on which it begins, such as sunday; empty: every day.'),
  begin: text().describe('Time of day as 02:00.'),
  end: text().describe('Time of day as 04:00; not after the begin: on the next day. 24:00 is midnight.'),
  time_zone: text('UTC').describe('Time zone of the times, such as Europe/Berlin.'),
});
export type SilenceWindow = z.infer<typeof silenceWindowSchema>;

export const silenceWindowsSchema = list(silenceWindowSchema, maxSilenceWindows);

const dayMinutes = 24 * 60;
const clock = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes after midnight of `02:00`, or null. */
const minutesOf = (time: string): number | null => {
  if (time === '24:00') return dayMinutes;
  const match = clock.exec(time);
  return match === null ? null : Number(match[1]) * 60 + Number(match[2]);
};

/** Why windows are invalid, or null. */
export const silenceWindowsFault = (windows: readonly SilenceWindow[]): string | null => {
  for (const [index, { days, begin, end, time_zone: zone }] of windows.entries()) {
    const at = `silenced.windows[${index}]`;
    const day = days.find((name) => !(weekdays as readonly string[]).includes(name));
    if (day !== undefined)
      return `${at}.days: ${JSON.stringify(day)} is not a day (use ${weekdays.join(', ')})`;
    for (const [name, time] of [['begin', begin] as const, ['end', end] as const]) {
      if (minutesOf(time) === null || (name === 'begin' && time === '24:00'))
        return `${at}.${name} must be a time of day such as 02:00 (got ${JSON.stringify(time)})`;
    }
    if (begin === end) return `${at}: begin and end are both ${begin}; for a whole day use 00:00 and 24:00`;
    if (!isTimeZone(zone)) return `${at}.time_zone: ${JSON.stringify(zone)} is not a known time zone`;
  }
  return null;
};

interface WallTime {
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Minutes after midnight. */
  readonly minute: number;
}

const keptZones = 256;
const formatOf = remember(
  keptZones,
  (timeZone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

const minuteMs = 60_000;

/** Asked for every event: the clocks of this minute are read once. */
const wallTimeOf = remember(keptZones, (key): WallTime => {
  const [zone = '', minute = ''] = key.split('\n');
  const parts = formatOf(zone).formatToParts(Number(minute) * minuteMs);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  return {
    weekday: (weekdays as readonly string[]).indexOf(part('weekday').toLowerCase()),
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  };
});

const isOpen = ({ days, begin, end, time_zone: zone }: SilenceWindow, nowMs: number): boolean => {
  const { weekday, minute } = wallTimeOf(`${zone}\n${Math.floor(nowMs / minuteMs)}`);
  const beginsOn = (day: number): boolean => days.length === 0 || days.includes(weekdays[day] ?? '');
  const [from, until] = [minutesOf(begin) ?? 0, minutesOf(end) ?? 0];
  if (from < until) return beginsOn(weekday) && from <= minute && minute < until;
  const yesterday = (weekday + weekdays.length - 1) % weekdays.length;
  return (beginsOn(weekday) && minute >= from) || (beginsOn(yesterday) && minute < until);
};

/** Whether one of the windows is open. Without windows it always is. */
export const isInWindow = (windows: readonly SilenceWindow[] | undefined, nowMs: number): boolean =>
  windows === undefined || windows.length === 0 || windows.some((window) => isOpen(window, nowMs));

/** When windows open and close, as cron fields with their time zone. */
export const windowEdges = (
  windows: readonly SilenceWindow[],
): readonly { readonly pattern: string; readonly timeZone: string }[] =>
  windows.flatMap(({ days, begin, end, time_zone: timeZone }) => {
    const [from, until] = [minutesOf(begin) ?? 0, minutesOf(end) ?? 0];
    const numbers = days.map((name) => (weekdays as readonly string[]).indexOf(name));
    const at = (minutes: number, isNextDay: boolean): string => {
      const shifted = numbers.map((day) => (day + (isNextDay ? 1 : 0)) % weekdays.length);
      const time = minutes % dayMinutes;
      return `${time % 60} ${Math.floor(time / 60)} * * ${shifted.length === 0 ? '*' : shifted.join(',')}`;
    };
    return [
      { pattern: at(from, false), timeZone },
      { pattern: at(until, until <= from || until === dayMinutes), timeZone },
    ];
  });

/**
 * Reads `sunday 02:00-04:00 Europe/Berlin`, `mon,tue 22:00-06:00` or `daily 02:00-02:30`; the time zone is `otherZone` where
 * none is named. Returns what is wrong as text.
 */
export const readWindow = (written: string, otherZone: string): SilenceWindow | string => {
  const [named = '', times = '', zone = otherZone, ...rest] = written.trim().split(/\s+/);
  const range = /^(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/.exec(times);
  if (range === null || rest.length > 0)
    return `a window is written as "sunday 02:00-04:00 Europe/Berlin" (got ${JSON.stringify(written)})`;
  const days: string[] = [];
  for (const word of /^(daily|every)$/i.test(named) ? [] : named.toLowerCase().split(',')) {
    const day = weekdays.find((name) => word.length >= 3 && (name.startsWith(word) || `${name}s` === word));
    if (day === undefined)
      return `${JSON.stringify(word)} is not a day: use daily, or names such as sunday or mon,tue`;
    days.push(day);
  }
  const [begin, end] = range.slice(1).map((time) => time.padStart(5, '0'));
  const window = { days, begin: begin ?? '', end: end ?? '', time_zone: zone };
  return silenceWindowsFault([window])?.replace(/^silenced\.windows\[0\][.:]? ?/, '') ?? window;
};
