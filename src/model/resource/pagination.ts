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
