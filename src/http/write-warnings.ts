// Warnings about a successful write: unknown fields and configuration problems. Sent in `Warning` headers (RFC
// 7234, section 5.5, code 299) and logged. With `?strict=true` or the header `Mon-Strict: true`, unknown fields are
// rejected instead.
import type { ResourceId } from '../actors/resources/resource-table.ts';
import { MonError } from '../model/errors.ts';
import type { ResourceKind } from '../model/resource/resource-kind.ts';
import {
  describeUnknownField,
  type UnknownField,
  unknownFieldsOf,
} from '../model/resource/unknown-fields.ts';
import type { BackendPort } from './backend-port.ts';
import { namespaceWarnings, selectorWarnings } from './list-warnings.ts';
import type { Log } from './log.ts';
import type { Answer, Call, Route } from './route.ts';

/** Maximum number of warnings per response and their maximum length in characters, since clients limit header sizes. */
const maxWarnings = 10;
const maxWarningCharacters = 300;

const isTrue = (value: unknown): boolean => value === '' || value === 'true' || value === '1';

/** Whether unknown fields are rejected. Throws MonError `invalid` for values other than true and false. */
const isStrict = ({ query, headers }: Pick<Call, 'query' | 'headers'>): boolean => {
  const asked = query.strict ?? headers['mon-strict'];
  if (asked === undefined || asked === 'false' || asked === '0') return false;
  if (isTrue(asked)) return true;
  throw new MonError('invalid', `strict must be true or false (got ${JSON.stringify(asked)})`);
};

/** The kind a request writes; undefined for all other requests. */
const kindWritten = ({ method, doc }: Pick<Route, 'method' | 'doc'>): ResourceKind | undefined => {
  const shape = method === 'GET' || method === 'DELETE' ? undefined : doc.body?.shape;
  return shape?.type === 'one' ? shape.kind : undefined;
};

const refuseUnknown = (fields: readonly UnknownField[]): void => {
  if (fields.length > 0) throw new MonError('invalid', fields.map(describeUnknownField).join('; '));
};

/** Adds the unknown fields to an error, since they are often its cause. */
const withUnknown = (error: unknown, fields: readonly UnknownField[]): unknown =>
  error instanceof MonError && error.kind === 'invalid' && fields.length > 0
    ? new MonError('invalid', `${error.message} (${fields.map(describeUnknownField).join('; ')})`, {
        cause: error,
      })
    : error;

/** Header values contain visible ASCII only; other characters are escaped as in JavaScript strings. */
export const visibleAscii = (text: string): string =>
  text
    .slice(0, maxWarningCharacters)
    .replaceAll(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );

const quoted = (text: string): string => `"${visibleAscii(text).replaceAll(/["\\]/g, '\\$&')}"`;

/** The values of the `Warning` header. */
export const warningHeaders = (warnings: readonly string[]): string[] => {
  const shown = warnings.slice(0, maxWarnings).map((text) => `299 mon ${quoted(text)}`);
  const left = warnings.length - shown.length;
  return left > 0 ? [...shown, `299 mon ${quoted(`and ${left} more`)}`] : shown;
};

const nameIn = (body: unknown): string => {
  const { metadata, name, username } = (body ?? {}) as Record<string, unknown>;
  const own = (metadata as { name?: unknown } | null | undefined)?.name ?? name ?? username;
  return typeof own === 'string' ? own : '';
};

const idOf = (kind: ResourceKind, { parameters, body }: Call): ResourceId => ({
  segment: kind.path,
  namespace: parameters.namespace ?? '',
  name: parameters.name ?? nameIn(body),
});

export interface Write {
  readonly route: Pick<Route, 'method' | 'doc'>;
  readonly call: Call;
  readonly backend: Pick<BackendPort, 'problems' | 'resources'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Handles a request and adds warnings about what it wrote. Events are not tracked separately from their results, so
 * they get no marks.
 */
export const withWarnings = async (
  { route, call, backend, log }: Write,
  handle: () => Promise<Answer>,
): Promise<Answer> => {
  const kind = kindWritten(route);
  if (kind === undefined) {
    const answer = await handle();
    const warnings = [...namespaceWarnings(backend, route, call), ...selectorWarnings(route, call)];
    return warnings.length === 0 ? answer : { ...answer, warnings };
  }
  const fields = unknownFieldsOf(kind, call.body);
  if (isStrict(call)) refuseUnknown(fields);
  const id = idOf(kind, call);
  const answer = await handle().catch((error: unknown) => {
    throw withUnknown(error, fields);
  });
  const messages = fields.map(describeUnknownField);
  const isEvent = kind.routes === 'event';
  if (!isEvent && id.name !== '') await backend.problems?.noteUnknownFields(id, messages);
  const problems = isEvent ? [] : ((await backend.problems?.of(id)) ?? []);
  const found = problems.filter(({ why }) => why !== 'unknownField').map(({ message }) => message);
  const warnings = [...messages, ...found, ...(answer.warnings ?? [])];
  if (warnings.length === 0) return answer;
  const { segment, namespace, name } = id;
  log.warn({ kind: segment, namespace, name, warnings }, 'written, with configuration problems');
  return { ...answer, warnings };
};
