// Values of resources as tables show them.
import { isObject } from '../../model/schema/is-object.ts';
import type { Json } from '../client/api-client.ts';

/** What stands at a path such as `metadata.name`; undefined where there is nothing. */
export const at = (resource: unknown, path: string): unknown => {
  let value: unknown = resource;
  for (const key of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
};

/** Lists joined by commas; what is absent is empty. */
export const shown = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(shown).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

export const text =
  (path: string) =>
  (resource: Json): string =>
    shown(at(resource, path));
export const yesNo =
  (path: string) =>
  (resource: Json): string =>
    String(at(resource, path) === true);
/** `0` for absent: the reference shows numbers that are not set as zero. */
export const number =
  (path: string) =>
  (resource: Json): string =>
    String(at(resource, path) ?? 0);

const two = (value: number): string => String(value).padStart(2, '0');

let zoneFormat: Intl.DateTimeFormat | undefined;

/** `UTC`, `CET`. Made once, and not at all for UTC: it takes longer than a short list does. */
const zoneOf = (date: Date): string => {
  if (process.env.TZ === 'UTC') return 'UTC';
  zoneFormat ??= new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' });
  return zoneFormat.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
};

/** `2006-01-02 15:04:05 -0700 MST` in the time zone of this machine; `N/A` for 0. Seconds since the epoch. */
export const timestamp = (seconds: unknown): string => {
  if (typeof seconds !== 'number' || seconds <= 0) return 'N/A';
  const date = new Date(seconds * 1000);
  const offset = -date.getTimezoneOffset();
  const zone = zoneOf(date);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const sign = offset < 0 ? '-' : '+';
  const away = Math.abs(offset);
  return `${day} ${time} ${sign}${two(Math.floor(away / 60))}${two(away % 60)} ${zone}`;
};

/** RFC 3339 in UTC, as silences are shown. */
export const rfc3339 = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  // Past the end of what dates can say.
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace(/\.\d+Z$/, 'Z');
};
