// The guess throttle: how fast passwords can be guessed. Wrong ones are counted for a minute by name and address together,
// and by address. Past the limit of either, tries take turns, so many a second; a right password still gets in when its
// turn comes. So nobody keeps others out by guessing wrong, neither from elsewhere nor at other names.
import { setTimeout as pauseMs } from 'node:timers/promises';
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

/** `tooManyRequests` that says when to come back. */
export class ThrottledError extends MonError {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super('tooManyRequests', `too many failed logins; try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface Attempt {
  /** Seconds to name in the refusal when this one is wrong; 0 while it is within the limit. */
  readonly retryAfterSeconds: number;
  /** `undecided`: nothing was learned about the password, a queue was full or a directory out of reach. */
  end(outcome: 'right' | 'wrong' | 'undecided'): void;
}

export interface GuessThrottle {
  /** Resolves when the password may be checked. Rejects with ThrottledError when too many wait for their turn. */
  enter(name: string, address: string): Promise<Attempt>;
}

interface Entry {
  /** When the wrong ones came, oldest first. */
  wrongAtMs: number[];
  /** Tries whose outcome is not known yet. */
  open: number;
  /** When the next turn is, once turns are taken. */
  nextTurnMs: number;
}

/** Wrong tries by one key, and the turns of those that had too many. */
class Tries {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;
  readonly #spacingMs: number;
  readonly #countsOpen: boolean;

  constructor(limit: number, spacingMs: number, countsOpen: boolean) {
    this.#limit = limit;
    this.#spacingMs = spacingMs;
    this.#countsOpen = countsOpen;
  }

  /** The entry of a key, without what is too old to count. Re-inserted: the first key is the one unused for longest. */
  entry(key: string, nowMs: number): Entry {
    const entry = this.#entries.get(key) ?? { wrongAtMs: [], open: 0, nextTurnMs: 0 };
    entry.wrongAtMs = entry.wrongAtMs.filter((at) => nowMs - at < guessWindowMs);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const stalest = this.#entries.keys().next().value;
    if (this.#entries.size > maxThrottledKeys && stalest !== undefined) this.#entries.delete(stalest);
    return entry;
  }

  /** Milliseconds until its turn; null while it need not take turns. */
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
  // Tries under way count for a name, or a thousand at once would be within the limit.
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
