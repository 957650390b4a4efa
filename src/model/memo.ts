// Remembers answers of a slow pure function of one string: a check's cron string or expression is judged with every event
// that carries it, and is nearly always one judged before. Bounded in number and in bytes, since the strings come from users.
import { LRUCache } from 'lru-cache';
import { maxMemoBytes } from './limits.ts';

/** Rough size of a string and of the entry that holds it, in bytes. */
const bytesOf = (text: string): number => text.length * 2 + 64;

/** A string that takes more than this share of the memo is answered and not kept, so that it cannot empty the memo. */
const largestShare = 1 / 8;

export interface Memo<T> {
  (text: string): T;
  /** Answers kept now, and the bytes their strings take. */
  readonly kept: { readonly entries: number; readonly bytes: number };
}

/** Keeps at most `capacity` answers, and `maxBytes` of the strings they answer; the least recently used leaves first. */
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
