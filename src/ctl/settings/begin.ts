// When a silence begins, as people write it: `now`, RFC 3339, `Jan 02 2006 3:04PM MST`, `3:04PM -08:00`, `15:04 +07:00`.
import { CtlError } from '../failure.ts';

const clock = /^(\d{1,2}):(\d{2})\s*([AP]M)?\s+([+-])(\d{2}):?(\d{2})$/i;

const ofToday = (text: string, now: Date): number | undefined => {
  const [, hour = '', minute = '', half = '', sign = '', hours = '', minutes = ''] = clock.exec(text) ?? [];
  if (hour === '') return undefined;
  const isLate = half.toUpperCase() === 'PM';
  const of24 = half === '' ? Number(hour) : (Number(hour) % 12) + (isLate ? 12 : 0);
  if (of24 > 23 || Number(minute) > 59) return undefined;
  const awayMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const there = new Date(now.getTime() + awayMs);
  const midnight = Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate());
  return midnight + (of24 * 60 + Number(minute)) * 60_000 - awayMs;
};

/** Seconds since the epoch. `flag`: where it was given. */
export const readBegin = (text: string, now: Date, flag = 'begin'): number => {
  if (text === 'now') return Math.floor(now.getTime() / 1000);
  if (/^\d+$/.test(text)) return Number(text);
  const ms = ofToday(text, now) ?? Date.parse(text.replace(/(\d)([AP]M)/i, '$1 $2'));
  // A time without a zone would mean another moment on each machine.
  const hasZone = /(z|[+-]\d{2}:?\d{2}|[a-z]{3,4})$/i.test(text) && !/[ap]m$/i.test(text);
  if (Number.isNaN(ms) || !hasZone)
    throw new CtlError(
      `--${flag} must be "now" or a time with its zone, such as 2030-01-02T15:04:00Z or "15:04 +07:00" (got "${text}")`,
    );
  return Math.floor(ms / 1000);
};
