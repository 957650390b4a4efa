// Secret ids in a key-value store: `path/to/secret#key`. Version 2 of the store keeps values under `data/` after
// the mount, the first path segment; ids omit it.
import { isObject } from '../model/schema/is-object.ts';

export type StoreVersion = 'v1' | 'v2';

export interface SecretAddress {
  /** The path on the store, e.g. `/v1/secret/data/pager`. */
  readonly path: string;
  readonly key: string;
}

/** Unpaired surrogates cannot be encoded in a URL. */
const isFitPart = (part: string): boolean =>
  part !== '' && part !== '.' && part !== '..' && !/\p{Surrogate}/u.test(part);

/** Null for an invalid id: without key, without path, or with segments that change the path. */
export const addressOf = (id: string, version: StoreVersion): SecretAddress | null => {
  const hash = id.lastIndexOf('#');
  if (hash < 1 || hash === id.length - 1) return null;
  const parts = id.slice(0, hash).replace(/^\//, '').split('/');
  const [mount, ...rest] = parts;
  if (mount === undefined || rest.length === 0 || !parts.every(isFitPart)) return null;
  const inStore = version === 'v2' && rest[0] !== 'data' ? [mount, 'data', ...rest] : parts;
  return { path: `/v1/${inStore.map(encodeURIComponent).join('/')}`, key: id.slice(hash + 1) };
};

/** The value of a key in a store response; undefined if missing. */
export const valueIn = (answer: unknown, key: string, version: StoreVersion): string | undefined => {
  const outer = isObject(answer) && isObject(answer.data) ? answer.data : {};
  const data = version === 'v2' ? (isObject(outer.data) ? outer.data : {}) : outer;
  if (!Object.hasOwn(data, key)) return undefined;
  const value = data[key];
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};
