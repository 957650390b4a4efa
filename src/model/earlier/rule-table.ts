// Validation as tables: each row says where it looks, when it applies, what must hold and what is said when it does
// not. Every failure is gathered, not just the first.
import { isMap, type Json } from './json.ts';

export interface Problem {
  /** The definition the message speaks of. */
  readonly object: unknown;
  readonly message: string;
}

type Holds = (value: unknown, scope: Json) => boolean;
/** `set`: neither null nor absent. `truthy`: as `set`, and not false. */
type When = 'always' | 'set' | 'truthy';

export interface Row {
  readonly key: string;
  readonly when: When;
  readonly holds: Holds;
  readonly message: string;
  /** For a map that is one: the rows of what is in it. */
  readonly inside?: readonly Row[];
  /** The row applies only to such a scope. */
  readonly only?: (scope: Json) => boolean;
}

export const isString: Holds = (value) => typeof value === 'string';
export const isFilled: Holds = (value) => typeof value === 'string' && value !== '';
export const isInteger: Holds = (value) => Number.isInteger(value);
export const isNumber: Holds = (value) => typeof value === 'number';
export const isBoolean: Holds = (value) => typeof value === 'boolean';
export const isArray: Holds = (value) => Array.isArray(value);
export const isHash: Holds = isMap;
export const isPositive: Holds = (value) => Number.isInteger(value) && (value as number) > 0;
/** A list may be missing or wrong as a whole: that is another row's business. */
export const eachIs =
  (holds: Holds): Holds =>
  (value, scope) =>
    !Array.isArray(value) || value.every((item) => holds(item, scope));
export const matches =
  (pattern: RegExp): Holds =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
export const isOneOf =
  (...words: readonly unknown[]): Holds =>
  (value) =>
    words.includes(value);

/** Names of clients and checks. `$` without the flag `m` admits no newline in JavaScript. */
export const namePattern = /^[\w.-]+$/;

const row =
  (when: When) =>
  (key: string, holds: Holds, message: string, more: Pick<Row, 'only' | 'inside'> = {}): Row => ({
    key,
    when,
    holds,
    message,
    ...more,
  });

export const always = row('always');
export const ifSet = row('set');
export const ifTruthy = row('truthy');

/** A map that may be absent, and the rows of what is in it. */
export const within = (key: string, message: string, inside: readonly Row[]): Row =>
  ifSet(key, isHash, message, { inside });

/** `handler` and `handlers`, as many scopes have them. `prefix` begins the messages. */
export const handling = (prefix: string): Row[] => [
  ifSet('handler', isString, `${prefix} handler must be a string`),
  ifSet('handlers', isArray, `${prefix} handlers must be an array`),
  ifSet('handlers', eachIs(isString), `${prefix} handlers must each be a string`),
];

const applies = ({ when, only }: Row, value: unknown, scope: Json): boolean => {
  if (only?.(scope) === false) return false;
  if (when === 'always') return true;
  return value !== null && value !== undefined && (when === 'set' || value !== false);
};

/** The messages of all rows that do not hold, in the order of the table. */
export const judge = (scope: Json, rows: readonly Row[]): string[] =>
  rows.flatMap((each) => {
    const value = scope[each.key];
    if (!applies(each, value, scope)) return [];
    if (!each.holds(value, scope)) return [each.message];
    return each.inside !== undefined && isMap(value) ? judge(value, each.inside) : [];
  });

export const problems = (object: Json, rows: readonly Row[]): Problem[] =>
  judge(object, rows).map((message) => ({ object, message }));
