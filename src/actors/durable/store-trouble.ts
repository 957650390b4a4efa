// A store that fails, as the group-commit writer sees it: since when, of what, and how long until the next try. The pause
// doubles with every failure and ends with the first commit that succeeds.
import type { Clock } from '../runtime/time/clock.ts';
import type { GroupCommitLimits } from './group-commit-limits.ts';

interface Failing {
  readonly error: Error;
  readonly failures: number;
  retryAtMs: number;
}

export class StoreTrouble {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: Pick<GroupCommitLimits, 'firstRetryMs' | 'maxRetryMs' | 'maxReceiptWaitMs'>;
  #failing: Failing | undefined;

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    limits: Pick<GroupCommitLimits, 'firstRetryMs' | 'maxRetryMs' | 'maxReceiptWaitMs'>,
  ) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** While the store fails, one commit at a time is tried, as a probe. */
  get isFailing(): boolean {
    return this.#failing !== undefined;
  }

  /** The error of the last commit; undefined after one that succeeded. */
  get error(): Error | undefined {
    return this.#failing?.error;
  }

  /** Not positive: now. */
  get retryInMs(): number {
    return this.#failing === undefined ? 0 : this.#failing.retryAtMs - this.#clock.monotonicMs();
  }

  /** The last error, when the next try is so far away that nobody should wait for it. */
  get hopeless(): Error | undefined {
    return this.isLong(this.retryInMs) ? this.#failing?.error : undefined;
  }

  isLong(pauseMs: number): boolean {
    return pauseMs > this.#limits.maxReceiptWaitMs;
  }

  /** A commit failed; returns the pause before the next try. Commits that failed side by side are one failure. */
  failed(error: Error): number {
    const waitMs = this.retryInMs;
    if (waitMs > 0) return waitMs;
    const { firstRetryMs, maxRetryMs } = this.#limits;
    const failures = (this.#failing?.failures ?? 0) + 1;
    const pauseMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20));
    this.#failing = { error, failures, retryAtMs: this.#clock.monotonicMs() + pauseMs };
    return pauseMs;
  }

  /** A commit succeeded. */
  over(): void {
    this.#failing = undefined;
  }

  tryNow(): void {
    if (this.#failing) this.#failing.retryAtMs = this.#clock.monotonicMs();
  }
}
