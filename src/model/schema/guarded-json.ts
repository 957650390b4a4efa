// Parses untrusted JSON. Rejects documents that could harm later code: prototype-polluting keys, excessive nesting,
// objects with too many keys. Normal input costs three searches of the text; only suspicious documents are walked.
import { quoteLongTimestamps } from '../event/exact-timestamps.ts';
import { maxJsonBytes, maxJsonDepth, maxJsonKeys } from '../limits.ts';

export interface JsonLimits {
  readonly maxBytes?: number;
  /** The outermost object is depth 1. */
  readonly maxDepth?: number;
  /** Maximum number of keys in one object. */
  readonly maxKeys?: number;
}

export type JsonFault = 'tooLarge' | 'notJson' | 'forbiddenKey' | 'tooDeep' | 'tooManyKeys';

export type GuardedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: JsonFault; readonly message: string };

const refuse = (why: JsonFault, message: string): GuardedJson => ({ ok: false, why, message });

/** Maximum length of the parser's own message that is quoted, in characters. */
const maxReasonCharacters = 200;

/** Minimum number of characters per additional key: quotes, a letter, colon, value, comma. */
const minKeyCharacters = 6;

/**
 * A forbidden key, or an escape in the range `@` to DEL that could hide one from a text search. One regular
 * expression takes 0.3 us per event; three searches took 0.9 us.
 */
const suspicious = /__proto__|constructor|\\u00[4-7]/;

/** A document of depth n has at least n opening brackets, so one with few brackets cannot be deep. */
const mayBeDeep = (text: string, maxDepth: number): boolean => {
  let openers = 0;
  for (const opener of ['{', '[']) {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      openers += 1;
      if (openers > maxDepth) return true;
    }
  }
  return false;
};

/**
 * Documents deeper than this are rejected without parsing: parsing 250,000 brackets blocks the process for most of
 * a second.
 */
const maxParsedDepth = 1_000;

const quote = 0x22;
const backslash = 0x5c;

/** The nesting depth of a text, counted up to `most` + 1. Brackets inside strings are ignored. */
const depthOf = (text: string, most: number): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length && deepest <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return deepest;
};

interface Visit {
  readonly value: object;
  /** The parent node, used to build the path of an error; null for the root. */
  readonly parent: Visit | null;
  readonly key: string | number;
  readonly depth: number;
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object';

const join = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
};

const pathOf = (visit: Visit): string => {
  const keys: (string | number)[] = [];
  for (let at = visit; at.parent !== null; at = at.parent) keys.push(at.key);
  const path = keys.reduceRight<string>(join, '');
  return path.length > maxReasonCharacters ? `${path.slice(0, maxReasonCharacters)}...` : path;
};

const isForbidden = (key: string, value: unknown): boolean =>
  key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'));

const where = (visit: Visit): string => pathOf(visit) || 'the document';

const tooDeep = (place: string, maxDepth: number): GuardedJson =>
  refuse('tooDeep', `${place} is nested deeper than ${maxDepth} levels`);

/** Walks iteratively, so that deep nesting cannot overflow the stack. Paths are built only for errors. */
const findFault = (root: object, maxDepth: number, maxKeys: number): GuardedJson | null => {
  const open: Visit[] = [{ value: root, parent: null, key: '', depth: 1 }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, depth } = visit;
    if (depth > maxDepth) return tooDeep(where(visit), maxDepth);
    if (Array.isArray(value)) {
      for (const [key, item] of value.entries())
        if (isObject(item)) open.push({ value: item, parent: visit, key, depth: depth + 1 });
      continue;
    }
    const keys = Object.keys(value);
    if (keys.length > maxKeys) return refuse('tooManyKeys', `${where(visit)} has more than ${maxKeys} keys`);
    for (const key of keys) {
      const item = (value as Record<string, unknown>)[key];
      if (isForbidden(key, item))
        return refuse('forbiddenKey', `${join(pathOf(visit), key)} is not an allowed key`);
      if (isObject(item)) open.push({ value: item, parent: visit, key, depth: depth + 1 });
    }
  }
  return null;
};

/** Runs the walk alone, for values from another parser (YAML). */
export const guardValue = (value: unknown, limits: JsonLimits = {}): GuardedJson => {
  if (!isObject(value)) return { ok: true, value };
  const fault = findFault(value, limits.maxDepth ?? maxJsonDepth, limits.maxKeys ?? maxJsonKeys);
  return fault ?? { ok: true, value };
};

const parse = (text: string): GuardedJson => {
  try {
    return { ok: true, value: JSON.parse(quoteLongTimestamps(text)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse('notJson', `not valid JSON: ${error.message.slice(0, maxReasonCharacters)}`);
  }
};

/** A character takes at most three bytes, so most texts need no byte count. */
const bytesExceed = (input: string | Buffer, maxBytes: number): boolean =>
  typeof input === 'string'
    ? input.length * 3 > maxBytes && Buffer.byteLength(input) > maxBytes
    : input.length > maxBytes;

/** Parses an untrusted document. Never throws on bad input; returns what is wrong and where. */
export const parseGuarded = (input: string | Buffer, limits: JsonLimits = {}): GuardedJson => {
  const { maxBytes = maxJsonBytes, maxDepth = maxJsonDepth, maxKeys = maxJsonKeys } = limits;
  if (bytesExceed(input, maxBytes))
    return refuse('tooLarge', `the document is larger than ${maxBytes} bytes`);
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const maybeDeep = mayBeDeep(text, maxDepth);
  if (maybeDeep && depthOf(text, maxParsedDepth) > maxParsedDepth) return tooDeep('the document', maxDepth);
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const suspect = maybeDeep || suspicious.test(text) || text.length > maxKeys * minKeyCharacters;
  return suspect ? guardValue(parsed.value, limits) : parsed;
};
