// What the backend would say of a resource, asked here: the same schemas and rules, with the place in the file. References to other
// resources, and whether somebody may write it, only the backend knows.
import { splitLongTimestamps } from '../../model/event/exact-timestamps.ts';
import type { Resource, ResourceKind } from '../../model/resource/resource-kind.ts';
import { kindByPath } from '../../model/resource/resource-kinds.ts';
import { describeUnknownField, unknownFieldsOf } from '../../model/resource/unknown-fields.ts';
import type { Described } from './documents.ts';
import { type Path, type Place, placeIn } from './places.ts';

export interface Finding {
  readonly place: Place;
  /** A refusal; otherwise a warning: the backend takes it, and drops the field. */
  readonly isError: boolean;
  readonly message: string;
}

/** `subdues[0].begn` as the parts of a path. */
const partsOf = (text: string): Path =>
  [...text.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, key, index]) =>
    index === undefined ? (key ?? '') : Number(index),
  );

/** The same field in the file: core resources carry there under `spec` what the API has at the top. */
const inFile = ({ kind, text }: Described, path: Path): Path => {
  const item = text.item === undefined ? [] : [text.item];
  return kind.wrapped || path[0] === 'metadata' ? [...item, ...path] : [...item, 'spec', ...path];
};

/** A copy that may be changed, as the backend reads it. */
const asRead = (body: unknown): unknown => {
  const copy = structuredClone(body);
  splitLongTimestamps((copy as { readonly metrics?: unknown }).metrics);
  return copy;
};

/** The field a message is about: what the schema refused, or the first word that is a field. */
const fieldOf = (kind: ResourceKind, body: unknown, message: string): Path => {
  const read = kind.schema.safeParse(asRead(body));
  const issue = read.success ? undefined : read.error.issues[0];
  if (issue !== undefined && issue.path.length > 0)
    return issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const [word = ''] = /^[\w.[\]]+/.exec(message) ?? [];
  const path = partsOf(word);
  const fields = (kind.wrapped ? (body as { spec?: object }).spec : body) as object;
  const prefix = kind.wrapped ? ['spec'] : [];
  if (path.length > 1) return [...prefix, ...path.slice(1)];
  // `expression 0` is the first of `expressions`.
  const [, noun, index] = /\b([a-z_]+) (\d+)\b/.exec(message) ?? [];
  if (noun !== undefined && Object.hasOwn(fields ?? {}, `${noun}s`))
    return [...prefix, `${noun}s`, Number(index)];
  const named = Object.keys(fields ?? {}).find((key) => new RegExp(`\\b${key}\\b`).test(message));
  return named === undefined ? prefix : [...prefix, named];
};

/** Nothing when the backend would take it as it is. */
export const findingsOf = (described: Described): readonly Finding[] => {
  const kind = kindByPath.get(described.kind.path);
  if (kind === undefined) return [];
  const { body, text } = described;
  const at = (path: Path): Place => placeIn(text.before, text.text, inFile(described, path));
  const unknown = unknownFieldsOf(kind, body).map((field) => ({
    place: at(partsOf(field.path)),
    isError: false,
    message: describeUnknownField(field),
  }));
  const refusal = refusalOf(kind, body);
  if (refusal === null) return unknown;
  return [{ place: at(fieldOf(kind, body, refusal)), isError: true, message: refusal }, ...unknown];
};

const refusalOf = (kind: ResourceKind, body: unknown): string | null => {
  const decoded = kind.decode(asRead(body));
  return decoded.ok ? kind.validate(decoded.value) : decoded.message;
};

/** As the backend would show it: defaults filled in, what it keeps to itself left out. The body itself where it would refuse it. */
export const asKept = (described: Described): Resource => {
  const kind = kindByPath.get(described.kind.path);
  const decoded = kind?.decode(asRead(described.body));
  if (kind === undefined || decoded?.ok !== true) return described.body;
  return kind.toWire(decoded.value);
};
