// A token bucket rate limiter: a rate per second and a burst. Pure: time is a parameter.

export interface TokenBucket {
  /** Takes a token and returns 0, or returns the milliseconds until one is available. */
  take(nowMs: number): number;
}

/** A rate of 0 means no limit. */
export const createTokenBucket = (ratePerSecond: number, burst: number, startMs: number): TokenBucket => {
  let tokens = burst;
  let lastMs = startMs;
  return {
    take: (nowMs) => {
      if (ratePerSecond === 0) return 0;
      tokens = Math.min(burst, tokens + (Math.max(nowMs - lastMs, 0) / 1000) * ratePerSecond);
      lastMs = nowMs;
      // Tolerance for rounding errors, since fractions are added up.
      if (tokens >= 1 - 1e-9) {
        tokens -= 1;
        return 0;
      }
      return Math.max(Math.ceil(((1 - tokens) / ratePerSecond) * 1000 - 1e-6), 1);
    },
  };
};
