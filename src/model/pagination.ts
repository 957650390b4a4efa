// Pagination of lists: `limit` and the opaque `continue` token. The token contains the last key of the previous
// page, so changes between requests neither repeat nor skip unchanged items.

/** 0 means no limit; undefined if the text is not a valid limit. */
export const parseLimit = (text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return 0;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

/** Unpadded base64url of the key and a NUL, the format of the reference product. */
export const encodeContinue = (lastKey: string): string => Buffer.from(`${lastKey}\0`).toString('base64url');

/** Maximum token length, in characters. */
const maxTokenCharacters = 2048;

/** The key to go on after; undefined for a token that is none. */
export const decodeContinue = (token: string | undefined): string | undefined => {
  if (!token || token.length > maxTokenCharacters || !/^[\w-]+$/.test(token)) return undefined;
  const key = Buffer.from(token, 'base64url').toString('utf8');
  const last = key.slice(0, -1);
  // Re-encoding must give the same token; invalid UTF-8 would decode to other characters.
  return key.endsWith('\0') && encodeContinue(last) === token ? last : undefined;
};

export interface Page<T> {
  readonly items: readonly T[];
  /** Present only if more items remain. */
  readonly continue?: string;
}

/** Compares bytes, like the stores: `<` on strings orders astral characters differently. */
const isAfter = (key: string, last: string): boolean =>
  Buffer.compare(Buffer.from(key), Buffer.from(last)) > 0;

/** One page of items, which must be filtered and sorted by key. `limit` 0 means all. */
export const pageOf = <T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Page<T> => {
  const page: T[] = [];
  for (const item of items) {
    if (after !== undefined && !isAfter(keyOf(item), after)) continue;
    const last = page.at(-1);
    if (limit > 0 && page.length === limit && last !== undefined) {
      return { items: page, continue: encodeContinue(keyOf(last)) };
    }
    page.push(item);
  }
  return { items: page };
};
