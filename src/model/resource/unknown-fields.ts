// Finds body fields that the schema does not define. A misspelled field would otherwise be dropped silently. Walks
// the schema and the body in parallel and suggests the nearest known name.

import { z } from 'zod';
import { isObject } from '../schema/is-object.ts';
import { bareSchema, definitionOf } from '../schema/zod-internals.ts';
import type { ResourceKind } from './resource-kind.ts';
import { isWrapped, lowerWrapperKeys } from './wrapped.ts';

export interface UnknownField {
  /** The path, e.g. `spec.comand` or `subdues[0].begn`. */
  readonly path: string;
  /** The field is known, but nothing has the name that it holds. */
  readonly value?: string;
  /** The most similar known name, if any is close. */
  readonly nearest?: string;
}

/** Maximum number of unknown fields reported per body. */
const maxUnknownFields = 10;
/** Maximum length of a reported field name, in characters. */
const maxShownCharacters = 64;

/** Edit distance (insert, delete, replace, swap neighbours) between two words; stops above `most`. */
const distance = (one: string, other: string, most: number): number => {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? most + 1;
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The nearest known name; undefined if none is close. */
export const nearestName = (unknown: string, known: readonly string[]): string | undefined => {
  const wanted = plain(unknown.slice(0, maxShownCharacters));
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: string | undefined;
  let least = most + 1;
  for (const name of known) {
    const far = distance(wanted, plain(name), most);
    if (far < least) [nearest, least] = [name, far];
  }
  return nearest;
};

const leaves: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/** Nothing is in it. Bodies have tens of thousands of these; they are not worth the text of a path. */
const isLeaf = (schema: z.core.$ZodType): boolean => leaves.has(definitionOf(bareSchema(schema)).type);

const walk = (schema: z.core.$ZodType, value: unknown, path: string, found: UnknownField[]): void => {
  if (found.length >= maxUnknownFields) return;
  const { type, shape, element, valueType, catchall, options } = definitionOf(bareSchema(schema));
  if (options !== undefined) return walkUnion(options, value, path, found);
  const words = type === 'array' ? knownWordsOf(schema) : undefined;
  if (words !== undefined && Array.isArray(value)) walkWords(words, value, path, found);
  else if (type === 'array' && element !== undefined && Array.isArray(value)) {
    if (isLeaf(element)) return;
    for (const [index, item] of value.entries()) walk(element, item, `${path}[${index}]`, found);
  } else if (type === 'record' && valueType !== undefined && isObject(value)) {
    if (isLeaf(valueType)) return;
    for (const [key, item] of Object.entries(value)) walk(valueType, item, `${path}.${key}`, found);
  } else if (type === 'object' && shape !== undefined && isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (known !== undefined && isLeaf(known)) continue;
      if (known !== undefined) walk(known, item, path === '' ? key : `${path}.${key}`, found);
      else if (catchall === undefined && found.length < maxUnknownFields)
        found.push(unknownField(path, key, Object.keys(shape)));
    }
  }
};

/** The words that a list of names chooses from, if its schema says so; see `roleSchema`. */
const knownWordsOf = (schema: z.core.$ZodType): readonly string[] | undefined =>
  z.globalRegistry.get(schema)?.['x-known'] as readonly string[] | undefined;

const walkWords = (
  known: readonly string[],
  items: readonly unknown[],
  path: string,
  found: UnknownField[],
): void => {
  for (const [index, item] of items.entries()) {
    // Older tools join several words with commas.
    for (const word of typeof item === 'string' ? item.split(',').map((part) => part.trim()) : []) {
      if (found.length >= maxUnknownFields) return;
      if (!known.includes(word))
        found.push({ ...named(`${path}[${index}]`, word, known), value: shortened(word) });
    }
  }
};

/** In a union, the variant that knows the most fields of the value is used. */
const walkUnion = (
  options: readonly z.core.$ZodType[],
  value: unknown,
  path: string,
  found: UnknownField[],
): void => {
  const each = options.map((option) => {
    const own: UnknownField[] = [];
    walk(option, value, path, own);
    return own;
  });
  const fewest = each.reduce((best, own) => (own.length < best.length ? own : best), each[0] ?? []);
  found.push(...fewest);
};

const shortened = (text: string): string =>
  text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}...` : text;

const named = (path: string, word: string, known: readonly string[]): UnknownField => {
  const nearest = nearestName(word, known);
  return { path, ...(nearest === undefined ? {} : { nearest }) };
};

const unknownField = (parent: string, key: string, known: readonly string[]): UnknownField => {
  const shown = shortened(key);
  return named(parent === '' ? shown : `${parent}.${shown}`, key, known);
};

/** The unknown fields of a value according to its schema; at most ten. */
const unknownFieldsIn = (schema: z.core.$ZodType, value: unknown): readonly UnknownField[] => {
  const found: UnknownField[] = [];
  walk(schema, value, '', found);
  return found;
};

const wrapperKeys: ReadonlySet<string> = new Set(['type', 'api_version', 'metadata', 'spec']);

/** The same for a resource body, wrapped or not. Fields that are read outside the schema count as known. */
export const unknownFieldsOf = (
  kind: Pick<ResourceKind, 'schema' | 'wrapped' | 'alsoKnown'>,
  body: unknown,
): readonly UnknownField[] => {
  if (!isObject(body)) return [];
  const also = kind.alsoKnown;
  const lift = !kind.wrapped && isWrapped(body);
  if (!lift)
    return unknownFieldsIn(kind.schema, kind.wrapped ? lowerWrapperKeys(body) : body).filter(
      ({ path }) => !also.has(path),
    );
  const outer = Object.keys(body)
    .filter((key) => !wrapperKeys.has(key.toLowerCase()))
    .map((key) => unknownField('', key, [...wrapperKeys]));
  const spec = unknownFieldsIn(kind.schema, body.spec)
    .filter(({ path }) => !also.has(path))
    .map((field) => ({ ...field, path: `spec.${field.path}` }));
  const metadata = isObject(body.metadata) ? unknownFieldsIn(kind.schema, { metadata: body.metadata }) : [];
  return [...outer, ...metadata, ...spec].slice(0, maxUnknownFields);
};

/** `unknown field spec.comand, did you mean command?`, or `unknown name "chekcs" in rules[0].resources[0], ...` */
export const describeUnknownField = ({ path, value, nearest }: UnknownField): string => {
  const what = value === undefined ? `field ${path}` : `name "${value}" in ${path}`;
  return `unknown ${what}${nearest === undefined ? '' : `, did you mean ${nearest}?`}`;
};
