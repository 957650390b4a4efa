// The guess throttle: at most so many wrong passwords a minute for one name and from one address.
// A right password gives its try back, so people and agents who know theirs never meet the limit.
import { MonError } from '../../model/errors.ts';
import {
  guessesPerMinutePerAddress,
  guessesPerMinutePerName,
  guessWindowMs,
  maxThrottledKeys,
} from '../limits.ts';

/** `tooManyRequests` that says when to come back. */
export class ThrottledError extends MonError {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super('tooManyRequests', `too many failed logins; try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface GuessThrottle {
  /** Takes a try, or throws ThrottledError. The result gives the try back when the password was right. */
  take(name: string, address: string): () => void;
}

/** Times of the last tries of each key, oldest first. */
class TryLog {
  readonly #tries = new Map<string, number[]>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Milliseconds until a try is free; 0 when one is. */
  waitMs(key: string, nowMs: number): number {
    const recent = (this.#tries.get(key) ?? []).filter((at) => nowMs - at < guessWindowMs && at <= nowMs);
    if (recent.length === 0) this.#tries.delete(key);
    else this.#tries.set(key, recent);
    const oldest = recent[0];
    return recent.length < this.#limit || oldest === undefined ? 0 : guessWindowMs - (nowMs - oldest);
  }

  add(key: string, nowMs: number): void {
    const tries = this.#tries.get(key) ?? [];
    tries.push(nowMs);
    // Re-inserted, so that the map's first key is the one left alone the longest.
    this.#tries.delete(key);
    this.#tries.set(key, tries);
    if (this.#tries.size > maxThrottledKeys) {
      const stalest = this.#tries.keys().next().value;
      if (stalest !== undefined) this.#tries.delete(stalest);
    }
  }

  giveBack(key: string, atMs: number): void {
    const tries = this.#tries.get(key);
    const index = tries?.lastIndexOf(atMs) ?? -1;
    if (index >= 0) tries?.splice(index, 1);
  }
}

export const createGuessThrottle = (monotonicMs: () => number): GuessThrottle => {
  const names = new TryLog(guessesPerMinutePerName);
  const addresses = new TryLog(guessesPerMinutePerAddress);
  return {
    take(name, address) {
      const nowMs = monotonicMs();
      const waitMs = Math.max(names.waitMs(name, nowMs), addresses.waitMs(address, nowMs));
      if (waitMs > 0) throw new ThrottledError(Math.ceil(waitMs / 1_000));
      names.add(name, nowMs);
      addresses.add(address, nowMs);
      return () => {
        names.giveBack(name, nowMs);
        addresses.giveBack(address, nowMs);
      };
    },
  };
};
