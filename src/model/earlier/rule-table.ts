// Validation tables: each row defines a value to check, when the rule applies, the condition, and the message on
// failure. All failures are collected, not only the first.
import { maxListItems } from '../limits.ts';
import { isMap, type Json } from './json.ts';

export interface Problem {
  /** The definition named in the message. */
  readonly object: unknown;
  readonly message: string;
}

type Holds = (value: unknown, scope: Json) => boolean;
/** `set`: neither null nor absent. `truthy`: set and not false. */
type When = 'always' | 'set' | 'truthy';

export interface Row {
  readonly key: string;
  readonly when: When;
  readonly holds: Holds;
  readonly message: string;
  /** Rows for the content, if the value is a map. */
  readonly inside?: readonly Row[];
  /** If given, the row applies only to scopes that match. */
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
/** A missing or invalid list is reported by another row. */
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

/** Names of clients and checks. Without the flag `m`, `$` does not match before a newline in JavaScript. */
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

/** An optional map, and the rows for its content. */
export const within = (key: string, message: string, inside: readonly Row[]): Row =>
  ifSet(key, isHash, message, { inside });

export const isShort: Holds = (value) => !Array.isArray(value) || value.length <= maxListItems;
export const tooLong = (what: string): string => `${what} must have at most ${maxListItems} items`;

/** `handler` and `handlers`, used by several scopes. Messages start with `prefix`. */
export const handling = (prefix: string): Row[] => [
  ifSet('handler', isString, `${prefix} handler must be a string`),
  ifSet('handlers', isArray, `${prefix} handlers must be an array`),
  ifSet('handlers', isShort, tooLong(`${prefix} handlers`)),
  ifSet('handlers', eachIs(isString), `${prefix} handlers must each be a string`),
];

const applies = ({ when, only }: Row, value: unknown, scope: Json): boolean => {
  if (only?.(scope) === false) return false;
  if (when === 'always') return true;
  return value !== null && value !== undefined && (when === 'set' || value !== false);
};

/** The messages of all failing rows, in table order. */
export const judge = (scope: Json, rows: readonly Row[]): string[] =>
  rows.flatMap((each) => {
    const value = scope[each.key];
    if (!applies(each, value, scope)) return [];
    if (!each.holds(value, scope)) return [each.message];
    return each.inside !== undefined && isMap(value) ? judge(value, each.inside) : [];
  });
