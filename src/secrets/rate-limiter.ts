// The rate limiter of a provider: so many requests a second, so many at once. Who comes too early waits its turn.
import { setTimeout as pause } from 'node:timers/promises';
import { maxWaiting } from './limits.ts';

export interface RateLimiter {
  /** Resolves when the request may go out. Rejects when the signal ends the wait, or too many wait already. */
  enter(signal: AbortSignal): Promise<void>;
  /** Those who wait for their turn. */
  readonly waiting: number;
}

const unlimited: RateLimiter = { enter: async () => {}, waiting: 0 };

/** `perSecond` 0 means no limit. A burst below one is one: nothing would ever go out. */
export const createRateLimiter = (
  { limit: perSecond, burst }: { readonly limit: number; readonly burst: number },
  monotonicMs: () => number,
): RateLimiter => {
  if (perSecond <= 0) return unlimited;
  const capacity = Math.max(burst, 1);
  // Tokens below zero belong to those who wait.
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
      if (tokens < 1 - maxWaiting) throw new Error('too many requests wait for the rate limit');
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
