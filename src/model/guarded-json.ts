// The first thing that touches bytes from outside: JSON.parse that refuses what could hurt those who read the result
// (prototype-poisoning keys, bottomless nesting, objects with endless keys). Ordinary input pays for three searches
// of its text; only a document that could be guilty is walked.
import { quoteLongTimestamps } from './exact-timestamps.ts';
import { maxJsonBytes, maxJsonDepth, maxJsonKeys } from './limits.ts';

export interface JsonLimits {
  readonly maxBytes?: number;
  /** The outermost object is depth 1. */
  readonly maxDepth?: number;
  /** Most keys in any one object. */
  readonly maxKeys?: number;
}

export type JsonFault = 'tooLarge' | 'notJson' | 'forbiddenKey' | 'tooDeep' | 'tooManyKeys';

export type GuardedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: JsonFault; readonly message: string };

const refuse = (why: JsonFault, message: string): GuardedJson => ({ ok: false, why, message });

/** Longest excerpt of the parser's own words, in characters. */
const maxReasonCharacters = 200;

/** Fewest characters one further key takes: quotes, a letter, colon, value, comma. */
const minKeyCharacters = 6;

/**
 * A forbidden word, or an escape of `@` to DEL, which is how one would hide from a search of the text. One expression
 * costs 0.3 us for an event where three searches cost 0.9.
 */
const suspicious = /__proto__|constructor|\\u00[4-7]/;

/** A document of depth n opens n brackets: one with few of them can't be deep. */
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

/** Deeper than this a document is refused unparsed: parsing 250,000 brackets holds the process up for most of a second. */
const maxParsedDepth = 1_000;

const quote = 0x22;
const backslash = 0x5c;

/** The depth of a text, counted up to `most` and one; brackets inside strings are none. */
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
  /** Where it hangs, from which its path is made when it is at fault; the root hangs nowhere. */
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

/** Walks without recursion, so that depth can't overflow the stack. A path is made only for what is refused. */
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

/** The walk alone, for values that came in by another parser (YAML). */
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

/** A character is at most three bytes long, so most texts need no counting. */
const bytesExceed = (input: string | Buffer, maxBytes: number): boolean =>
  typeof input === 'string'
    ? input.length * 3 > maxBytes && Buffer.byteLength(input) > maxBytes
    : input.length > maxBytes;

/** Parses a document from outside. Never throws for what it was given; says what is wrong and where. */
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
