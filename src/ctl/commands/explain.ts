// explain: what a kind or one of its fields is, from the schemas that the backend checks with.
import { kindByPath } from '../../model/resource/resource-kinds.ts';
import { bare, factsOf, fieldsOf, type Shape, shapeOfKind, typeOf } from '../../model/schema/schema-words.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { asJson } from '../output/documents.ts';
import type { Session } from '../session.ts';
import { kindsCalled } from './types.ts';

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
  const described = kindByPath.get(kind.path);
  if (described === undefined) throw new CtlError(`there is no schema for ${kind.path}`);
  const shape = find(shapeOfKind(described, kind.wrapped), path, name);
  if (session.settings.format === 'json' || session.settings.format === 'wrapped-json')
    return session.print(asJson(shape));
  show(session, [`${kind.apiVersion}.${kind.type}`, ...path].join('.'), shape);
};
