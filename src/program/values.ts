// Parses the value of a setting from a flag, variable or file, or returns why it is invalid.
import { parseDuration } from '../model/time/durations.ts';
import type { Flag } from './flag.ts';

/** The raw value: a string, the strings of a repeated flag, or a YAML value. */
export type RawValue = unknown;
export type SettingValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;
export type Read = { readonly value: SettingValue } | { readonly wrong: string };

const wrong = (reason: string): Read => ({ wrong: reason });
const readNumber = (raw: RawValue): number =>
  typeof raw === 'number' ? raw : typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : Number.NaN;

const readInteger = (raw: RawValue, min: number, max: number): Read => {
  const value = readNumber(raw);
  if (Number.isInteger(value) && value >= min && value <= max) return { value };
  const floor = min === 1 ? 'a positive integer' : 'an integer of at least 0';
  return wrong(max < 2_147_483_647 ? `must be an integer from ${min} to ${max}` : `must be ${floor}`);
};

const readDecimal = (raw: RawValue, min: number): Read => {
  const value = readNumber(raw);
  return Number.isFinite(value) && value >= min ? { value } : wrong(`must be a number of at least ${min}`);
};

const readSwitch = (raw: RawValue): Read => {
  const text = String(raw).toLowerCase();
  if (['true', '1', 't', 'yes', 'on'].includes(text)) return { value: true };
  if (['false', '0', 'f', 'no', 'off'].includes(text)) return { value: false };
  return wrong('must be true or false');
};

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');
const isScalar = (raw: RawValue) => ['string', 'number', 'boolean'].includes(typeof raw);

/** Items are separated by commas or spaces; the reference product's environment variables support spaces only. */
const readList = (raw: RawValue): Read => {
  if (raw === null || raw === undefined) return { value: [] };
  if (Array.isArray(raw)) {
    if (!raw.every(isScalar)) return wrong('must be a list of strings');
    return {
      value: raw
        .flatMap((item) => String(item).split(','))
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    };
  }
  return isScalar(raw) ? { value: words(String(raw)) } : wrong('must be a list of strings');
};

/** A map without a prototype, so that any key is allowed. */
const fromEntries = (entries: Iterable<readonly [unknown, unknown]>): Record<string, string> => {
  const map: Record<string, string> = Object.create(null);
  for (const [key, value] of entries)
    map[String(key)] = value === null || value === undefined ? '' : String(value);
  return map;
};

const parsePairs = (text: string): Array<[string, string]> | null => {
  // A comma separates pairs only before another `key=`, so that values may contain commas.
  const parts = text.split(/,(?=\s*[^,=\s]+=)/).map((part) => part.trim());
  const found = parts
    .filter((part) => part !== '')
    .map(
      (part) =>
        [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1)] as [string, string],
    );
  return found.every(([key], at) => key !== '' && (parts[at]?.includes('=') ?? false)) ? found : null;
};

const parseJsonMap = (text: string): Array<[string, unknown]> | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? Object.entries(parsed)
      : null;
  } catch {
    return null;
  }
};

const mapEntries = (raw: RawValue): Iterable<readonly [unknown, unknown]> | null => {
  if (raw === null || raw === undefined) return [];
  if (raw instanceof Map)
    return [...raw.values()].every((value) => value === null || isScalar(value)) ? raw : null;
  const texts = Array.isArray(raw) ? raw : [raw];
  if (!texts.every((item): item is string => typeof item === 'string')) return null;
  const parts = texts.map((text) => (text.trim().startsWith('{') ? parseJsonMap(text) : parsePairs(text)));
  return parts.every((part) => part !== null) ? parts.flat() : null;
};

const readMap = (raw: RawValue, keyPattern: RegExp | undefined): Read => {
  const entries = mapEntries(raw);
  if (entries === null) return wrong('must be key=value pairs');
  const value = fromEntries(entries);
  const badKey = Object.keys(value).find((key) => keyPattern?.test(key) === false);
  if (badKey === undefined) return { value };
  return wrong(
    `has an invalid key "${badKey}": keys consist of letters, digits and underscores, and start with a letter`,
  );
};

const readText = (raw: RawValue, choices: readonly string[] | undefined): Read => {
  if (!isScalar(raw)) return wrong('must be a string');
  const value = String(raw);
  return choices === undefined || choices.includes(value)
    ? { value }
    : wrong(`must be one of ${choices.join(', ')}`);
};

/** The last value of a repeated flag wins, except for lists and maps, which accumulate. */
export const readValue = (flag: Flag, raw: RawValue): Read => {
  if (flag.kind === 'list') return readList(raw);
  if (flag.kind === 'map') return readMap(raw, flag.keyPattern);
  const one: unknown = Array.isArray(raw) ? raw.at(-1) : raw;
  if (flag.kind === 'integer') return readInteger(one, flag.min, flag.max);
  if (flag.kind === 'number') return readDecimal(one, flag.min);
  if (flag.kind === 'boolean') return readSwitch(one);
  if (flag.kind === 'text') return readText(one, flag.choices);
  const value = parseDuration(String(one));
  return value === null || value < 0 ? wrong('must be a duration such as 1s, 2m30s or 300ms') : { value };
};
