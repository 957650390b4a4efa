// The rate limiter of a provider: requests per second, with a burst. Requests above the rate wait in order.
import { setTimeout as pause } from 'node:timers/promises';
import { maxWaiting } from './limits.ts';

export interface RateLimiter {
  /** Resolves when the request may be sent. Rejects if the signal aborts, or if too many requests are waiting. */
  enter(signal: AbortSignal): Promise<void>;
  /** Number of waiting requests. */
  readonly waiting: number;
}

const unlimited: RateLimiter = { enter: async () => {}, waiting: 0 };

/** `perSecond` 0 means no limit. A burst below one counts as one; otherwise no request could be sent. */
export const createRateLimiter = (
  { limit: perSecond, burst }: { readonly limit: number; readonly burst: number },
  monotonicMs: () => number,
): RateLimiter => {
  if (perSecond <= 0) return unlimited;
  const capacity = Math.max(burst, 1);
  // Negative tokens are reserved by waiting requests.
  let tokens = capacity;
  let atMs = monotonicMs();
  return {
    get waiting() {
      return Math.max(0, Math.ceil(-tokens));
    },
    async enter(signal) {
      const nowMs = monotonicMs();
      tokens = Math.min(capacity, tokens + ((nowMs - atMs) / 1_000) * perSecond);
      atMs = nowMs;
      if (tokens < 1 - maxWaiting) throw new Error('too many requests are waiting for the rate limit');
      tokens -= 1;
      if (tokens >= 0) return;
      try {
        await pause((-tokens / perSecond) * 1_000, undefined, { signal });
      } catch (error) {
        tokens += 1;
        throw error;
      }
    },
  };
};
