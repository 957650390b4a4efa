// Parses cron strings of checks: five fields, descriptors, `@every <duration>`, and an optional time zone prefix.
// This file only parses and validates; the schedule computes the next run.
import { Cron } from 'croner';
import { maxCronCharacters } from '../limits.ts';
import { remember } from '../memo.ts';
import { readCronFields } from './cron-fields.ts';
import { parseDuration } from './durations.ts';

export type CronSchedule =
  /** `@every 90s`: like an interval. The phase is derived from the check name. */
  | { readonly type: 'every'; readonly everyMs: number }
  /** Five fields in croner's notation. Without a time zone, the process's time zone applies. */
  | { readonly type: 'pattern'; readonly pattern: string; readonly timeZone?: string };

export type CronReading =
  | { readonly ok: true; readonly schedule: CronSchedule }
  | { readonly ok: false; readonly why: string };

const zonePrefix = /^(?:CRON_)?TZ=(\S*)\s+/;
const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const minEveryMs = 1000;

/** Whether this is the name of a time zone, such as `Europe/Berlin`. */
export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

const readEvery = (text: string): CronReading => {
  const everyMs = parseDuration(text);
  if (everyMs === null) return { ok: false, why: `failed to parse duration @every ${text}` };
  if (everyMs < minEveryMs) return { ok: false, why: `@every must be at least 1s (got ${text})` };
  return { ok: true, schedule: { type: 'every', everyMs: Math.floor(everyMs / 1000) * 1000 } };
};

const readPattern = (text: string, timeZone: string | undefined): CronReading => {
  const fields = readCronFields(text);
  if (!fields.ok) return fields;
  const { pattern } = fields;
  try {
    new Cron(pattern, { paused: true, mode: '5-part' });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, why: error.message.replace(/^CronPattern: /, '') };
  }
  return {
    ok: true,
    schedule: { type: 'pattern', pattern, ...(timeZone === undefined ? {} : { timeZone }) },
  };
};

const read = (text: string): CronReading => {
  const zone = zonePrefix.exec(text);
  const timeZone = zone?.[1];
  const rest = text.slice(zone?.[0].length ?? 0).trim();
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return { ok: false, why: `provided bad location ${timeZone}: unknown time zone ${timeZone}` };
  }
  if (rest.startsWith('@every ')) return readEvery(rest.slice('@every '.length).trim());
  if (!rest.startsWith('@')) return readPattern(rest, timeZone);
  const pattern = descriptors[rest.toLowerCase()];
  if (pattern === undefined) return { ok: false, why: `unrecognized descriptor: ${rest}` };
  return readPattern(pattern, timeZone);
};

const readRemembered = remember(1000, read);

/** Whether a cron string that can be read names a time that never comes, such as 30 February. */
export const neverComes = (text: string): boolean => {
  const reading = parseCron(text);
  if (!reading.ok || reading.schedule.type === 'every') return false;
  return new Cron(reading.schedule.pattern, { paused: true, mode: '5-part' }).nextRun() === null;
};

/** Parses a cron string, or returns why it is invalid. */
export const parseCron = (text: string): CronReading =>
  text.length > maxCronCharacters
    ? { ok: false, why: `it must be at most ${maxCronCharacters} characters (got ${text.length})` }
    : readRemembered(text);
