// Hides secrets in wrapped resources (bind passwords, client secrets, provider tokens). Clients read, edit and
// write back whole resources, so a placeholder that comes back is replaced by the stored secret.

/** Replaces a secret in every response. */
export const placeholder = 'REDACTED';

/** A path of keys to a secret; `*` matches every item of a list. */
export type SecretPath = readonly string[];

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

/**
 * The fields that hold the server's address. If one changes, the stored secret is not restored, so that it cannot
 * be sent to another server.
 */
const anchors = ['host', 'address', 'server'] as const;

const isSamePlace = (value: unknown, stored: unknown): boolean =>
  isObject(value) && isObject(stored) && anchors.every((anchor) => value[anchor] === stored[anchor]);

type Replace = (secret: string, stored: unknown) => string;

/**
 * Copies the objects along the path and replaces the value at its end. `stored` is followed in parallel as far as
 * it matches.
 */
const replaceAt = (value: unknown, stored: unknown, path: SecretPath, replace: Replace): unknown => {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === 'string' && value !== '' ? replace(value, stored) : value;
  if (key === '*') {
    if (!Array.isArray(value)) return value;
    const others: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return value.map((item) =>
      replaceAt(
        item,
        others.find((other) => isSamePlace(item, other)),
        rest,
        replace,
      ),
    );
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return value;
  const other =
    isSamePlace(value, stored) && Object.hasOwn(stored as Json, key) ? (stored as Json)[key] : undefined;
  return { ...value, [key]: replaceAt(value[key], other, rest, replace) };
};

/** A copy with every secret replaced by the placeholder. */
export const conceal = <T>(resource: T, paths: readonly SecretPath[]): T =>
  paths.reduce<unknown>((copy, path) => replaceAt(copy, undefined, path, () => placeholder), resource) as T;

const restore: Replace = (secret, before) => {
  if (secret !== placeholder) return secret;
  return typeof before === 'string' ? before : '';
};

/**
 * A copy in which every placeholder is replaced by the secret stored at the same path, or by an empty string if
 * there is none, which validation then rejects.
 */
export const restoreConcealed = <T>(resource: T, stored: unknown, paths: readonly SecretPath[]): T =>
  paths.reduce<unknown>((copy, path) => replaceAt(copy, stored, path, restore), resource) as T;
