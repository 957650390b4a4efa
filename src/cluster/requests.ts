// Requests that wait for their replies: shared by the implementations of the bus. One timer serves all of them, and a broken
// connection rejects them at once instead of letting each run into its timeout.
import { BusError, type BusErrorCode } from './bus.ts';
import type { ClusterClock } from './clock.ts';
import { maxWaitingRequests, requestTickMs } from './limits.ts';

interface Waiting {
  readonly subject: string;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly resolve: (data: Uint8Array) => void;
  readonly reject: (error: BusError) => void;
}

export class Requests {
  readonly #clock: ClusterClock;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;
  #stopTimer: (() => void) | undefined;

  constructor(clock: ClusterClock) {
    this.#clock = clock;
  }

  /** The token names the request in its reply subject. `send` may throw, which rejects the request. */
  open(subject: string, timeoutMs: number, send: (token: string) => void): Promise<Uint8Array> {
    if (this.#waiting.size >= maxWaitingRequests)
      return Promise.reject(new BusError('busy', `${maxWaitingRequests} requests wait for a reply already`));
    this.#count += 1;
    const token = this.#count.toString(36);
    return new Promise((resolve, reject) => {
      const untilMs = this.#clock.monotonicMs() + timeoutMs;
      this.#waiting.set(token, { subject, untilMs, timeoutMs, resolve, reject });
      this.#watch();
      try {
        send(token);
      } catch (error) {
        this.#waiting.delete(token);
        reject(error as BusError);
      }
    });
  }

  /** A reply that comes late or twice is ignored. */
  settle(token: string, data: Uint8Array): void {
    this.#take(token)?.resolve(data);
  }

  nobodyListens(token: string): void {
    const waiting = this.#take(token);
    waiting?.reject(new BusError('nobodyListens', `nobody listens to ${waiting.subject}`));
  }

  /** Rejects those that `concerns` names by their subject. */
  failAll(code: BusErrorCode, why: string, concerns: (subject: string) => boolean = () => true): void {
    for (const [token, { subject, reject }] of this.#waiting) {
      if (!concerns(subject)) continue;
      this.#waiting.delete(token);
      reject(new BusError(code, `${subject}: ${why}`));
    }
  }

  #take(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    return waiting;
  }

  #watch(): void {
    if (this.#stopTimer !== undefined) return;
    this.#stopTimer = this.#clock.setTimer(() => {
      this.#stopTimer = undefined;
      this.#expire();
      if (this.#waiting.size > 0) this.#watch();
    }, requestTickMs);
  }

  #expire(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [token, { subject, untilMs, timeoutMs, reject }] of this.#waiting) {
      if (untilMs > nowMs) continue;
      this.#waiting.delete(token);
      reject(new BusError('timeout', `${subject}: no reply within ${timeoutMs} ms`));
    }
  }
}
