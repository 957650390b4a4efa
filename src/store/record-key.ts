// Keys of records: what may be one, and where a prefix ends. Shared by every store, so that what one accepts all accept.
import { maxKeyBytes } from './limits.ts';
import { StoreError } from './snapshot-store.ts';

/** Sorts after everything a key may hold; `checkKey` refuses it inside keys. */
const lastCharacter = '\u{10ffff}';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const forbidden = /[\u0000-\u001f\u{10ffff}]/u;

/** Throws StoreError('invalid') unless the key can be stored everywhere. */
export function checkKey(kind: string, key: string): void {
  if (key.length * 3 > maxKeyBytes) checkLength(kind, key);
  if (key.length === 0) throw new StoreError('invalid', `${kind}: a record needs a key that is not empty`);
  if (forbidden.test(key)) {
    throw new StoreError(
      'invalid',
      `${kind}: a key must not hold control characters (got ${JSON.stringify(key)})`,
    );
  }
}

function checkLength(kind: string, key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes <= maxKeyBytes) return;
  throw new StoreError(
    'invalid',
    `${kind}: a key holds at most ${maxKeyBytes} bytes (got ${bytes}: ${key.slice(0, 60)}...); use shorter names`,
  );
}

/** The end, exclusive, of the range of keys that begin with `prefix`. */
export const prefixEnd = (prefix: string): string => prefix + lastCharacter;

/** Ascending byte order of the UTF-8 forms, which JavaScript's own comparison is not beyond the basic plane. */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codeUnitRank(left) - codeUnitRank(right);
  }
  return a.length - b.length;
}

/** Halves of a surrogate pair stand for characters above every other one. */
const codeUnitRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
