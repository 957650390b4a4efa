// Decoding: turns raw JSON into a typed resource, or into one error message with the field, the expected type and
// the received value. Runs after the guarded parse and before the `validate*` functions, which check rules between
// fields.
import type { z } from 'zod';

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/** Maximum length of a wrong value quoted in a message, in characters. */
const maxShownCharacters = 60;

const show = (value: unknown): string => {
  const json = value === undefined ? 'nothing' : JSON.stringify(value);
  return json.length > maxShownCharacters ? `${json.slice(0, maxShownCharacters)}...` : json;
};

const wantedTypes: Readonly<Record<string, string>> = {
  object: 'must be an object',
  record: 'must be an object',
  array: 'must be a list',
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
  nonoptional: 'is required',
};

const wanted = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type'
    ? (wantedTypes[issue.expected] ?? `must be ${issue.expected}`)
    : issue.message;

/** `check.subdues[0].begin` */
const pathOf = (subject: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>((whole, part) => {
    if (typeof part === 'number') return `${whole}[${part}]`;
    return whole === '' ? String(part) : `${whole}.${String(part)}`;
  }, subject);

const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    raw,
  );

/** The first issue as one sentence: `check.interval must be a whole number, 0 or more (got -5)`. */
const describeIssue = (issue: z.core.$ZodIssue, raw: unknown, subject: string): string => {
  const where = pathOf(subject, issue.path);
  const what = wanted(issue);
  const got = valueAt(raw, issue.path);
  if (got === undefined && issue.code === 'invalid_type') return `${where || 'the body'} is required`;
  return `${where || 'the body'} ${what} (got ${show(got)})`;
};

/** A copy without the value at `path`, so that its default applies. */
const without = (raw: unknown, path: readonly PropertyKey[]): unknown => {
  const [key, ...rest] = path;
  if (key === undefined || raw === null || typeof raw !== 'object') return undefined;
  const copy = (Array.isArray(raw) ? [...raw] : { ...raw }) as Record<PropertyKey, unknown>;
  if (rest.length > 0) copy[key] = without(copy[key], rest);
  else delete copy[key];
  return copy;
};

/** Treats objects sent as `null` as absent, like the reference product. */
const withoutNulls = (raw: unknown, issues: readonly z.core.$ZodIssue[]): unknown =>
  issues
    .filter(({ path }) => path.length > 0 && typeof path.at(-1) !== 'number' && valueAt(raw, path) === null)
    .reduce((copy, { path }) => without(copy, path), raw);

/**
 * `subject` is the first part of the path in messages, e.g. `check`. Empty for types whose messages name their own
 * parts, such as events.
 */
export const decode = <T>(schema: z.ZodType<T>, raw: unknown, subject: string): Decoded<T> => {
  const first = schema.safeParse(raw);
  if (first.success) return { ok: true, value: first.data };
  const filled = withoutNulls(raw, first.error.issues);
  const result = filled === raw ? first : schema.safeParse(filled);
  if (result.success) return { ok: true, value: result.data };
  const issue = result.error.issues[0];
  if (issue === undefined) return { ok: false, message: `${subject} could not be decoded` };
  return { ok: false, message: describeIssue(issue, raw, subject) };
};
