// Secrets inside wrapped resources (binding passwords, client secrets, provider tokens): hidden on the way out, and
// kept when the hidden form comes back, since clients read, edit and write the whole resource.

/** What stands for a secret in everything that leaves. */
export const placeholder = 'REDACTED';

/** A path of keys to a secret; `*` stands for every item of a list. */
export type SecretPath = readonly string[];

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

/** Where a secret is sent to. A kept secret never follows a changed address to somebody else's server. */
const anchors = ['host', 'address', 'server'] as const;

const isSamePlace = (value: unknown, stored: unknown): boolean =>
  isObject(value) && isObject(stored) && anchors.every((anchor) => value[anchor] === stored[anchor]);

type Replace = (secret: string, stored: unknown) => string;

/** Copies along the path and replaces what is at its end. `stored` is walked beside, as far as it matches. */
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
 * A copy in which every placeholder gives way to the secret stored at the same place, or to the empty string when
 * there is none: validation then asks for it.
 */
export const restoreConcealed = <T>(resource: T, stored: unknown, paths: readonly SecretPath[]): T =>
  paths.reduce<unknown>((copy, path) => replaceAt(copy, stored, path, restore), resource) as T;
