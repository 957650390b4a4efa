// Pages of lists: `limit` and the opaque `continue` token. A token is the last key of the page before, so a list
// that changes in between neither repeats nor loses what stayed.

/** 0 for no limit; undefined for a text that is none. */
export const parseLimit = (text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return 0;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

/** Unpadded base64url of the key and a NUL, as the reference product writes it. */
export const encodeContinue = (lastKey: string): string => Buffer.from(`${lastKey}\0`).toString('base64url');

/** Longest token read, in characters. */
const maxTokenCharacters = 2048;

/** The key to go on after; undefined for a token that is none. */
export const decodeContinue = (token: string | undefined): string | undefined => {
  if (!token || token.length > maxTokenCharacters || !/^[\w-]+$/.test(token)) return undefined;
  const key = Buffer.from(token, 'base64url').toString('utf8');
  const last = key.slice(0, -1);
  // Written back it must be the same: broken bytes would have become something else.
  return key.endsWith('\0') && encodeContinue(last) === token ? last : undefined;
};

export interface Page<T> {
  readonly items: readonly T[];
  /** Present only when more remain. */
  readonly continue?: string;
}

/** Bytewise, as keys are ordered everywhere: `<` on strings would put astral characters elsewhere. */
const isAfter = (key: string, last: string): boolean =>
  Buffer.compare(Buffer.from(key), Buffer.from(last)) > 0;

/**
 * One page of items that are already in ascending order of key and already filtered. `limit` 0 means all.
 */
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
