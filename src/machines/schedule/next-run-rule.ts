// When a check runs next: by its interval or its cron schedule.
import { Cron } from 'croner';
import type { CheckConfig } from '../../model/check/check.ts';
import { remember } from '../../model/memo.ts';
import { type CronSchedule, parseCron } from '../../model/time/cron.ts';
import { nextIntervalRun } from './splay-rule.ts';

/** A wall clock that was set back shows as a tick that comes this much before its own time, milliseconds. */
export const clockStepMs = 1_000;

/** A parser holds about 80 kB, so few are kept; schedules repeat themselves. */
const keptParsers = 256;

const parserOf = remember(keptParsers, (key): Cron => {
  const [timezone = '', pattern = ''] = key.split('\n');
  return new Cron(pattern, { mode: '5-part', paused: true, ...(timezone === '' ? {} : { timezone }) });
});

/** The next time after `afterMs` that five cron fields name in a time zone; without a zone in that of this process. */
export const nextPatternRun = (timeZone: string, pattern: string, afterMs: number): number | null =>
  parserOf(`${timeZone}\n${pattern}`).nextRun(new Date(afterMs))?.getTime() ?? null;

const nextCronRun = (name: string, schedule: CronSchedule, afterMs: number): number | null => {
  // The phase follows from the name, as with intervals: counted from the start of the backend, a check of every hour would
  // never run on one that is restarted every half.
  if (schedule.type === 'every') return nextIntervalRun(name, schedule.everyMs / 1000, afterMs);
  return nextPatternRun(schedule.timeZone ?? '', schedule.pattern, afterMs);
};

/** The next run after `afterMs`, wall milliseconds; null when there is none (a date that never comes). */
export const nextRun = (config: CheckConfig, afterMs: number): number | null => {
  if (config.cron === undefined || config.cron === '') {
    return config.interval > 0 ? nextIntervalRun(config.metadata.name, config.interval, afterMs) : null;
  }
  const reading = parseCron(config.cron);
  return reading.ok ? nextCronRun(config.metadata.name, reading.schedule, afterMs) : null;
};

const everyMsOf = ({ cron }: CheckConfig): number | null => {
  const reading = cron === undefined || cron === '' ? undefined : parseCron(cron);
  return reading?.ok === true && reading.schedule.type === 'every' ? reading.schedule.everyMs : null;
};

/** Whether the runs are times of day; otherwise they are so far apart, whatever the clock on the wall says. */
export const followsWallClock = (config: CheckConfig): boolean =>
  config.cron !== undefined && config.cron !== '' && everyMsOf(config) === null;

/**
 * The run after the one that was due at `dueMs` and came at `nowMs`. A tick that came a little early must not be repeated
 * at its own time; one that came late skips what it missed; after the wall clock was set back, the next match counts.
 */
export const runAfter = (config: CheckConfig, dueMs: number, nowMs: number): number | null => {
  if (dueMs - nowMs > clockStepMs) return nextRun(config, nowMs);
  const everyMs = everyMsOf(config);
  if (everyMs === null) return nextRun(config, Math.max(nowMs, dueMs));
  // Counted from when it was due, or the lateness of each tick would add up.
  return dueMs + everyMs * (Math.max(0, Math.floor((nowMs - dueMs) / everyMs)) + 1);
};
