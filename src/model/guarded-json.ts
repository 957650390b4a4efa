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

/** A document of depth n closes n brackets: one with few of them can't be deep. */
const mayBeDeep = (text: string, maxDepth: number): boolean => {
  let closers = 0;
  for (const closer of ['}', ']']) {
    for (let at = text.indexOf(closer); at !== -1; at = text.indexOf(closer, at + 1)) {
      closers += 1;
      if (closers > maxDepth) return true;
    }
  }
  return false;
};

interface Visit {
  readonly value: object;
  readonly path: string;
  readonly depth: number;
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object';

const join = (visit: Visit, key: string): string => {
  if (Array.isArray(visit.value)) return `${visit.path}[${key}]`;
  return visit.path === '' ? key : `${visit.path}.${key}`;
};

const isForbidden = (key: string, value: unknown): boolean =>
  key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'));

const where = (path: string): string => (path === '' ? 'the document' : path);

const inspect = (visit: Visit, maxDepth: number, maxKeys: number): GuardedJson | null => {
  if (visit.depth > maxDepth) {
    return refuse('tooDeep', `${where(visit.path)} is nested deeper than ${maxDepth} levels`);
  }
  if (!Array.isArray(visit.value) && Object.keys(visit.value).length > maxKeys) {
    return refuse('tooManyKeys', `${where(visit.path)} has more than ${maxKeys} keys`);
  }
  return null;
};

/** Walks without recursion, so that depth can't overflow the stack. */
const findFault = (root: object, maxDepth: number, maxKeys: number): GuardedJson | null => {
  const open: Visit[] = [{ value: root, path: '', depth: 1 }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const fault = inspect(visit, maxDepth, maxKeys);
    if (fault !== null) return fault;
    for (const [key, value] of Object.entries(visit.value)) {
      if (isForbidden(key, value)) return refuse('forbiddenKey', `${join(visit, key)} is not an allowed key`);
      if (isObject(value)) open.push({ value, path: join(visit, key), depth: visit.depth + 1 });
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
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const suspect =
    suspicious.test(text) || text.length > maxKeys * minKeyCharacters || mayBeDeep(text, maxDepth);
  return suspect ? guardValue(parsed.value, limits) : parsed;
};
