// The functions available in templates: those of Go's text/template, and `default` and `assetPath`.
import { maxTemplateCharacters } from '../limits.ts';
import { printf } from './printf.ts';
import { formatValue, isAbsent, isMap, isTruthy, Missing, typeName, ValueError } from './values.ts';

export type TemplateFunction = (...args: readonly unknown[]) => unknown;

const fail = (why: string): never => {
  throw new ValueError(why);
};

const needs = (args: readonly unknown[], least: number, most: number): void => {
  if (args.length >= least && args.length <= most) return;
  const want =
    least === most
      ? `${least}`
      : most === Number.POSITIVE_INFINITY
        ? `at least ${least}`
        : `${least}-${most}`;
  fail(`wrong number of args: want ${want} got ${args.length}`);
};

const indexOnce = (item: unknown, key: unknown): unknown => {
  if (item instanceof Missing || isAbsent(item)) return fail('index of untyped nil');
  if (Array.isArray(item) || typeof item === 'string') {
    if (!Number.isInteger(key)) return fail(`cannot index slice/array with type ${typeName(key)}`);
    const at = key as number;
    if (at < 0 || at >= item.length) return fail(`index out of range: ${at}`);
    return typeof item === 'string' ? Buffer.from(item)[at] : item[at];
  }
  if (!isMap(item)) return fail(`can't index item of type ${typeName(item)}`);
  if (typeof key !== 'string') return fail(`value has type ${typeName(key)}; should be string`);
  return Object.hasOwn(item, key) ? item[key] : new Missing(null);
};

const index: TemplateFunction = (item, ...keys) => keys.reduce(indexOnce, item);

const slice: TemplateFunction = (item, ...bounds) => {
  needs([item, ...bounds], 1, 3);
  if (!Array.isArray(item) && typeof item !== 'string')
    return fail(`can't slice item of type ${typeName(item)}`);
  const [from = 0, to = item.length] = bounds as number[];
  const fits = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= item.length;
  return fits ? item.slice(from, to) : fail(`slice bounds out of range [${from}:${to}]`);
};

const length: TemplateFunction = (item) => {
  if (typeof item === 'string') return Buffer.byteLength(item);
  if (Array.isArray(item)) return item.length;
  return isMap(item) ? Object.keys(item).length : fail(`len of type ${typeName(item)}`);
};

/** Joins pieces up to the maximum template output. */
const joined = (pieces: Iterable<string>): string => {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length > maxTemplateCharacters) fail(`text longer than ${maxTemplateCharacters} characters`);
  }
  return text;
};

/** Adds spaces between operands when neither is a string, like Go's Sprint. */
function* printed(args: readonly unknown[]): Iterable<string> {
  for (const [at, value] of args.entries()) {
    if (at > 0 && typeof value !== 'string' && typeof args[at - 1] !== 'string') yield ' ';
    yield formatValue(value);
  }
}

const print: TemplateFunction = (...args) => joined(printed(args));

function* lined(args: readonly unknown[]): Iterable<string> {
  for (const [at, value] of args.entries()) yield (at > 0 ? ' ' : '') + formatValue(value);
  yield '\n';
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\uFFFD',
};

const html: TemplateFunction = (...args) =>
  String(print(...args)).replaceAll(/["'&<>\0]/g, (character) => htmlEscapes[character] ?? character);

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

const js: TemplateFunction = (...args) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here
  String(print(...args)).replaceAll(/[\\'"<>&=\x00-\x1f\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return jsEscapes[character] ?? `\\u${code}`;
  });

const urlquery: TemplateFunction = (...args) =>
  encodeURIComponent(String(print(...args)))
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Both must have the same basic type. Absent values equal only each other. */
const isEqual = (left: unknown, right: unknown): boolean => {
  if (isAbsent(left) || isAbsent(right)) return isAbsent(left) && isAbsent(right);
  if (typeof left === 'object' || typeof right === 'object') return fail('non-comparable type in comparison');
  return typeof left === typeof right ? left === right : fail('incompatible types for comparison');
};

const isLess = (left: unknown, right: unknown): boolean => {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  const comparable =
    ['number', 'string'].includes(typeof left) && ['number', 'string'].includes(typeof right);
  return fail(comparable ? 'incompatible types for comparison' : 'invalid type for comparison');
};

const compare =
  (decide: (left: unknown, right: unknown) => boolean): TemplateFunction =>
  (...args) => {
    needs(args, 2, 2);
    return decide(args[0], args[1]);
  };

/** `<KEY>_PATH`: upper case, with each run of other characters replaced by an underscore. */
export const assetPathVariable = (assetName: string): string =>
  `${assetName.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_PATH`;

const anyNumber = Number.POSITIVE_INFINITY;

const withArity = (least: number, most: number, call: TemplateFunction): TemplateFunction => {
  return (...args) => {
    needs(args, least, most);
    return call(...args);
  };
};

/** `and` and `or` are not listed: they short-circuit, so the runner implements them. */
export const templateFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['not', withArity(1, 1, (value) => !isTruthy(value))],
  ['len', withArity(1, 1, length)],
  ['index', withArity(1, anyNumber, index)],
  ['slice', slice],
  ['print', print],
  ['println', (...args) => joined(lined(args))],
  [
    'printf',
    withArity(1, anyNumber, (format, ...args) =>
      typeof format === 'string'
        ? printf(format, args)
        : fail(`wrong type for value; expected string; got ${typeName(format)}`),
    ),
  ],
  ['html', html],
  ['js', js],
  ['urlquery', urlquery],
  ['call', () => fail('call of a value that is not a function')],
  ['eq', withArity(2, anyNumber, (first, ...others) => others.some((other) => isEqual(first, other)))],
  ['ne', compare((left, right) => !isEqual(left, right))],
  ['lt', compare(isLess)],
  ['le', compare((left, right) => !isLess(right, left))],
  ['gt', compare((left, right) => isLess(right, left))],
  ['ge', compare((left, right) => !isLess(left, right))],
  ['default', withArity(1, 2, (fallback, value) => (isAbsent(value) ? fallback : value))],
  [
    'assetPath',
    withArity(1, 1, (name) =>
      typeof name === 'string' ? assetPathVariable(name) : fail('assetPath needs the name of an asset'),
    ),
  ],
]);

/** All function names that templates can use. */
export const functionNames: ReadonlySet<string> = new Set([...templateFunctions.keys(), 'and', 'or']);
