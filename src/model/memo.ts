// Memoizes a slow pure function of one string. Every event carries the cron string and expressions of its check,
// and nearly all were checked before. Bounded in entries and bytes, since the strings come from users.
import { LRUCache } from 'lru-cache';
import { maxMemoBytes } from './limits.ts';

/** Approximate size of a string and its cache entry, in bytes. */
const bytesOf = (text: string): number => text.length * 2 + 64;

/** Strings larger than this share of the memo are not cached, so that one cannot evict all others. */
const largestShare = 1 / 8;

export interface Memo<T> {
  (text: string): T;
  /** Number of cached results, and the bytes of their strings. */
  readonly kept: { readonly entries: number; readonly bytes: number };
}

/** Keeps at most `capacity` results and `maxBytes` of strings; evicts the least recently used. */
export const remember = <T>(
  capacity: number,
  answer: (text: string) => T,
  maxBytes: number = maxMemoBytes,
): Memo<T> => {
  const answers = new LRUCache<string, { readonly value: T }>({
    max: capacity,
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes * largestShare),
    sizeCalculation: (_, text) => bytesOf(text),
  });
  const recall = (text: string): T => {
    const known = answers.get(text);
    if (known !== undefined) return known.value;
    const value = answer(text);
    answers.set(text, { value });
    return value;
  };
  return Object.defineProperty(recall, 'kept', {
    get: () => ({ entries: answers.size, bytes: answers.calculatedSize }),
  }) as Memo<T>;
};
