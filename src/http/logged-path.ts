// Paths of requests as the log holds them: without what could be used as a credential.

/** Number of characters of an API key that are shown, as in lists. */
const shownKeyCharacters = 8;

/** `apikeys`, where each letter may be percent-encoded. */
const segment = [...'apikeys']
  .map((letter) => {
    const code = (of: string): string => of.charCodeAt(0).toString(16);
    return `(?:${letter}|%${code(letter)}|%${code(letter.toUpperCase())})`;
  })
  .join('');

const keyInPath = new RegExp(`(${segment}(?:/|%2f)+[^/]{0,${shownKeyCharacters}})[^/]*`, 'gi');

/** Masks the end of API keys, whose name is the key itself, whether or not a route takes the path. */
export const maskKeys = (path: string): string => path.replace(keyInPath, '$1...');
