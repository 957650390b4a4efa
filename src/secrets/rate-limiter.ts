// The rate limiter of a provider: requests per second, with a burst. Requests above the rate wait in order.
import { setTimeout as pause } from 'node:timers/promises';
import { createTokenBucket } from '../model/token-bucket.ts';
import { maxWaiting } from './limits.ts';

export interface RateLimiter {
  /** Resolves when the request may be sent. Rejects if the signal aborts, or if too many requests are waiting. */
  enter(signal: AbortSignal): Promise<void>;
  /** Number of waiting requests. */
  readonly waiting: number;
}

/** `limit` 0 means no limit. */
export const createRateLimiter = (
  { limit, burst }: { readonly limit: number; readonly burst: number },
  monotonicMs: () => number,
): RateLimiter => {
  const bucket = createTokenBucket(limit, burst, monotonicMs());
  return {
    get waiting() {
      return bucket.reserved;
    },
    async enter(signal) {
      const waitMs = bucket.reserve(monotonicMs());
      if (waitMs === 0) return;
      try {
        if (bucket.reserved > maxWaiting) throw new Error('too many requests are waiting for the rate limit');
        await pause(waitMs, undefined, { signal });
      } catch (error) {
        bucket.giveBack();
        throw error;
      }
    },
  };
};
