// explain: what a kind or one of its fields is, from the schemas that the backend checks with.
import { z } from 'zod';
import { kindByPath } from '../../model/resource-kinds.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { asJson } from '../output/documents.ts';
import type { Session } from '../session.ts';
import { kindsCalled } from './types.ts';

/** A JSON Schema, as far as it is shown. */
interface Shape {
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

const alternatives = (shape: Shape): readonly Shape[] =>
  (shape.anyOf ?? shape.oneOf ?? []).filter(({ type }) => type !== 'null');

/** The shape under what only adds `null`, with the words of the outer one. */
const bare = (shape: Shape): Shape => {
  const [only, ...others] = alternatives(shape);
  if (only === undefined || others.length > 0) return shape;
  const { anyOf: _any, oneOf: _one, ...outer } = shape;
  return bare({ ...only, ...outer });
};

const typeOf = (raw: Shape): string => {
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

/** What 2^53 and 2^32 stand for is no limit that anybody sets. */
const isLimit = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < 2 ** 32 - 1;

const factsOf = (raw: Shape): readonly string[] => {
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

/** The fields inside: of an object, of the objects in a list or a map, of every sort of it. */
const fieldsOf = (raw: Shape): Readonly<Record<string, Shape>> => {
  const shape = bare(raw);
  if (shape.properties !== undefined) return shape.properties;
  const inner =
    shape.items ?? (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined);
  if (inner !== undefined) return fieldsOf(inner);
  return Object.assign({}, ...alternatives(shape).map(fieldsOf)) as Record<string, Shape>;
};

const schemaOf = (path: string, isWrapped: boolean): Shape => {
  const kind = kindByPath.get(path);
  if (kind === undefined) throw new CtlError(`there is no schema for ${path}`);
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

const show = (session: Session, name: string, shape: Shape): void => {
  const { description } = bare(shape);
  session.print(`${name}  <${typeOf(shape)}>`);
  if (description !== undefined) session.print(`  ${description}`);
  for (const fact of factsOf(shape)) session.print(`  ${fact}`);
  const fields = Object.entries(fieldsOf(shape));
  if (fields.length === 0) return;
  session.print('\nFields:');
  for (const [field, inner] of fields) {
    session.print(
      `  ${field}  <${typeOf(inner)}>${factsOf(inner)
        .map((fact) => `  ${fact}`)
        .join('')}`,
    );
    const words = bare(inner).description;
    if (words !== undefined) session.print(`      ${words}`);
  }
};

/** A field may be named from the top (`check.spec.interval`) or without `spec` (`check.interval`). */
const find = (shape: Shape, parts: readonly string[], said: string): Shape => {
  let at = shape;
  for (const part of parts) {
    const fields = fieldsOf(at);
    const inSpec = fields.spec === undefined ? {} : fieldsOf(fields.spec);
    const found = fields[part] ?? inSpec[part];
    if (found === undefined) {
      const known = [...Object.keys(fields), ...Object.keys(inSpec)].filter((name) => name !== 'spec');
      throw new CtlError(
        known.length === 0
          ? `${said} has no fields`
          : `${said} has no field "${part}"; it has ${known.join(', ')}`,
      );
    }
    at = found;
  }
  return at;
};

export const explain: Work = (session, [word = '']) => {
  const [type = '', ...parts] = word.split('.');
  // The version of a full name has a dot or a slash of its own: `core/v2.CheckConfig.spec`.
  const [name, path] = type.includes('/') ? [`${type}.${parts[0] ?? ''}`, parts.slice(1)] : [type, parts];
  const [kind] = kindsCalled(name);
  if (kind === undefined || name === 'all') throw new CtlError('name one kind, e.g. "mon-ctl explain check"');
  const shape = find(schemaOf(kind.path, kind.wrapped), path, name);
  if (session.settings.format === 'json' || session.settings.format === 'wrapped-json')
    return session.print(asJson(shape));
  show(session, [`${kind.apiVersion}.${kind.type}`, ...path].join('.'), shape);
};
