// Throttles password guessing. Failed attempts are counted for a minute by name and address, and by address. Above
// either limit, attempts are processed at a fixed rate; a correct password still succeeds. Failed attempts from one
// address or for one name therefore cannot lock out others.
import { setTimeout as pauseMs } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { MonError } from '../../model/errors.ts';
import {
  guessesPerMinutePerAddress,
  guessesPerMinutePerName,
  guessWindowMs,
  maxGuessWaitMs,
  maxThrottledKeys,
  msBetweenGuessesOfAddress,
  msBetweenGuessesOfName,
} from '../limits.ts';

/** `tooManyRequests` with a retry delay. */
export class ThrottledError extends MonError {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super('tooManyRequests', `too many failed logins; try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Attempt {
  /** The retry delay to report if this attempt fails, in seconds; 0 within the limit. */
  readonly retryAfterSeconds: number;
  /** `undecided`: the password was not checked because a queue was full or a directory unavailable. */
  end(outcome: 'right' | 'wrong' | 'undecided'): void;
}

export interface GuessThrottle {
  /** Resolves when the password may be checked. Rejects with ThrottledError if too many attempts are waiting. */
  enter(name: string, address: string): Promise<Attempt>;
}

interface Entry {
  /** Times of failed attempts, oldest first. */
  wrongAtMs: number[];
  /** Attempts in progress. */
  open: number;
  /** The time of the next turn, while the limit is exceeded. */
  nextTurnMs: number;
}

/** Failed attempts per key, and the turns of keys above the limit. */
class Tries {
  readonly #entries = new LRUCache<string, Entry>({ max: maxThrottledKeys });
  readonly #limit: number;
  readonly #spacingMs: number;
  readonly #countsOpen: boolean;

  constructor(limit: number, spacingMs: number, countsOpen: boolean) {
    this.#limit = limit;
    this.#spacingMs = spacingMs;
    this.#countsOpen = countsOpen;
  }

  /** The entry of a key, without expired attempts. */
  entry(key: string, nowMs: number): Entry {
    const entry = this.#entries.get(key) ?? { wrongAtMs: [], open: 0, nextTurnMs: 0 };
    entry.wrongAtMs = entry.wrongAtMs.filter((at) => nowMs - at < guessWindowMs);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Milliseconds until its turn; null if there is no throttling. */
  turnMs(entry: Entry, nowMs: number): number | null {
    const tries = entry.wrongAtMs.length + (this.#countsOpen ? entry.open : 0);
    return tries < this.#limit ? null : Math.max(0, entry.nextTurnMs - nowMs);
  }

  takeTurn(entry: Entry, atMs: number): void {
    entry.nextTurnMs = atMs + this.#spacingMs;
  }
}

export const createGuessThrottle = (
  monotonicMs: () => number,
  pause: (ms: number) => Promise<unknown> = pauseMs,
): GuessThrottle => {
  // Attempts in progress count for a name; otherwise a thousand concurrent ones would pass the limit.
  const names = new Tries(guessesPerMinutePerName, msBetweenGuessesOfName, true);
  const addresses = new Tries(guessesPerMinutePerAddress, msBetweenGuessesOfAddress, false);
  return {
    async enter(name, address) {
      const nowMs = monotonicMs();
      const ofName = names.entry(`${address} ${name}`, nowMs);
      const ofAddress = addresses.entry(address, nowMs);
      const [nameTurn, addressTurn] = [names.turnMs(ofName, nowMs), addresses.turnMs(ofAddress, nowMs)];
      const waitMs = Math.max(nameTurn ?? 0, addressTurn ?? 0);
      if (waitMs > maxGuessWaitMs) throw new ThrottledError(Math.ceil(waitMs / 1_000));
      if (nameTurn !== null) names.takeTurn(ofName, nowMs + waitMs);
      if (addressTurn !== null) addresses.takeTurn(ofAddress, nowMs + waitMs);
      ofName.open += 1;
      const isLimited = nameTurn !== null || addressTurn !== null;
      const oldest = (nameTurn === null ? ofAddress : ofName).wrongAtMs[0] ?? nowMs;
      if (waitMs > 0) await pause(waitMs);
      return {
        retryAfterSeconds: isLimited ? Math.max(1, Math.ceil((oldest + guessWindowMs - nowMs) / 1_000)) : 0,
        end(outcome) {
          ofName.open -= 1;
          if (outcome !== 'wrong') return;
          const atMs = monotonicMs();
          ofName.wrongAtMs.push(atMs);
          ofAddress.wrongAtMs.push(atMs);
        },
      };
    },
  };
};
