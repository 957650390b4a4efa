// Finds body fields that the schema does not define. A misspelled field would otherwise be dropped silently. Walks
// the schema and the body in parallel and suggests the nearest known name.

import type { z } from 'zod';
import { isObject } from './is-object.ts';
import type { ResourceKind } from './resource-kind.ts';
import { isWrapped, lowerWrapperKeys } from './wrapped.ts';
import { bareSchema, definitionOf } from './zod-internals.ts';

export interface UnknownField {
  /** The path, e.g. `spec.comand` or `subdues[0].begn`. */
  readonly path: string;
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

const walk = (schema: z.core.$ZodType, value: unknown, path: string, found: UnknownField[]): void => {
  if (found.length >= maxUnknownFields) return;
  const { type, shape, element, valueType, catchall, options } = definitionOf(bareSchema(schema));
  if (options !== undefined) return walkUnion(options, value, path, found);
  if (type === 'array' && element !== undefined && Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(element, item, `${path}[${index}]`, found);
  } else if (type === 'record' && valueType !== undefined && isObject(value)) {
    for (const [key, item] of Object.entries(value)) walk(valueType, item, `${path}.${key}`, found);
  } else if (type === 'object' && shape !== undefined && isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (known !== undefined) walk(known, item, at, found);
      else if (catchall === undefined && found.length < maxUnknownFields)
        found.push(unknownField(path, key, Object.keys(shape)));
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

const unknownField = (parent: string, key: string, known: readonly string[]): UnknownField => {
  const shown = key.length > maxShownCharacters ? `${key.slice(0, maxShownCharacters)}...` : key;
  const nearest = nearestName(key, known);
  return {
    path: parent === '' ? shown : `${parent}.${shown}`,
    ...(nearest === undefined ? {} : { nearest }),
  };
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

/** `unknown field spec.comand, did you mean command?` */
export const describeUnknownField = ({ path, nearest }: UnknownField): string =>
  nearest === undefined ? `unknown field ${path}` : `unknown field ${path}, did you mean ${nearest}?`;
