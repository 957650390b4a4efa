// Record keys: validation and prefix ranges. Shared by all stores, so that they accept the same keys.
import { maxKeyBytes } from './limits.ts';
import { StoreError } from './snapshot-store.ts';

/** Sorts after every allowed character; `checkKey` rejects it in keys. */
const lastCharacter = '\u{10ffff}';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const forbidden = /[\u0000-\u001f\u{10ffff}]/u;

/** Throws StoreError('invalid') unless every store can store the key. */
export function checkKey(kind: string, key: string): void {
  if (key.length * 3 > maxKeyBytes) checkLength(kind, key);
  if (key.length === 0) throw new StoreError('invalid', `${kind}: a record key must not be empty`);
  if (forbidden.test(key)) {
    throw new StoreError(
      'invalid',
      `${kind}: a key must not contain control characters (got ${JSON.stringify(key)})`,
    );
  }
}

function checkLength(kind: string, key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes <= maxKeyBytes) return;
  throw new StoreError(
    'invalid',
    `${kind}: a key must be at most ${maxKeyBytes} bytes (got ${bytes}: ${key.slice(0, 60)}...); use shorter names`,
  );
}

/** The exclusive end of the range of keys with this prefix. */
export const prefixEnd = (prefix: string): string => prefix + lastCharacter;

/** UTF-8 byte order, which differs from JavaScript's comparison outside the basic multilingual plane. */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codeUnitRank(left) - codeUnitRank(right);
  }
  return a.length - b.length;
}

/** Surrogates represent characters above all others. */
const codeUnitRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
