// Describes the schemas of resource kinds in words: for `mon-ctl explain` and the reference in docs/.
import { z } from 'zod';
import type { ResourceKind } from '../resource/resource-kind.ts';

/** A JSON Schema, as far as it is shown. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape | boolean;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-unit'?: string;
  readonly 'x-allowed'?: readonly unknown[];
}

/**
 * The shapes a value may have, without `null`; empty if there is only one.
 * @public scripts/reference-docs.js imports it from `dist`.
 */
export const alternatives = (shape: Shape): readonly Shape[] =>
  (shape.anyOf ?? shape.oneOf ?? []).filter(({ type }) => type !== 'null');

/** The shape without an alternative `null`, with the description of the outer one. */
export const bare = (shape: Shape): Shape => {
  const [only, ...others] = alternatives(shape);
  if (only === undefined || others.length > 0) return shape;
  const { anyOf: _any, oneOf: _one, ...outer } = shape;
  return bare({ ...only, ...outer });
};

/** E.g. `list of string`. */
export const typeOf = (raw: Shape): string => {
  const shape = bare(raw);
  const [first, ...more] = alternatives(shape);
  if (first !== undefined && more.length > 0) return [first, ...more].map(typeOf).join(' | ');
  const type = typeof shape.type === 'string' ? shape.type : shape.type?.find((one) => one !== 'null');
  if (type === 'array') return `list of ${shape.items === undefined ? 'anything' : typeOf(shape.items)}`;
  if (type === 'object' && shape.properties === undefined) {
    const value = shape.additionalProperties;
    return typeof value === 'object' ? `map of ${typeOf(value)}` : 'object';
  }
  return type ?? 'anything';
};

const allowedOf = (shape: Shape): readonly unknown[] | undefined =>
  shape['x-allowed'] ?? shape.enum ?? (shape.const === undefined ? undefined : [shape.const]);

/** The limits of integer types are not worth showing. */
const isLimit = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < 2 ** 32 - 1;

/** Unit, default, allowed values and limits, e.g. `default: 60`. */
export const factsOf = (raw: Shape): readonly string[] => {
  const shape = bare(raw);
  const allowed = allowedOf(shape);
  return [
    ...(shape['x-unit'] === undefined ? [] : [`unit: ${shape['x-unit']}`]),
    ...(shape.default === undefined ? [] : [`default: ${JSON.stringify(shape.default)}`]),
    ...(allowed === undefined ? [] : [`allowed: ${allowed.map(String).join(', ')}`]),
    ...(isLimit(shape.minimum) ? [`at least ${shape.minimum}`] : []),
    ...(isLimit(shape.maximum) ? [`at most ${shape.maximum}`] : []),
  ];
};

/** The fields of an object, of the objects in a list or a map, of all alternatives. */
export const fieldsOf = (raw: Shape): Readonly<Record<string, Shape>> => {
  const shape = bare(raw);
  if (shape.properties !== undefined) return shape.properties;
  const inner =
    shape.items ?? (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined);
  if (inner !== undefined) return fieldsOf(inner);
  return Object.assign({}, ...alternatives(shape).map(fieldsOf)) as Record<string, Shape>;
};

/** `isWrapped`: as the API exchanges it; otherwise with `metadata` and `spec`, as in files. */
export const shapeOfKind = (kind: ResourceKind, isWrapped: boolean): Shape => {
  const whole = z.toJSONSchema(kind.schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  if (isWrapped) return whole;
  const { metadata, ...spec } = fieldsOf(whole);
  return {
    description: kind.summary,
    type: 'object',
    properties: {
      ...(metadata === undefined ? {} : { metadata }),
      spec: { type: 'object', properties: spec },
    },
  };
};
