// Token bucket: so many a second, and so many at once. Pure: time comes in as a number.

export interface TokenBucket {
  /** Takes one and returns 0, or takes none and returns how many milliseconds until there is one. */
  take(nowMs: number): number;
}

/** A rate of 0 has no limit. */
export const createTokenBucket = (ratePerSecond: number, burst: number, startMs: number): TokenBucket => {
  let tokens = burst;
  let lastMs = startMs;
  return {
    take: (nowMs) => {
      if (ratePerSecond === 0) return 0;
      tokens = Math.min(burst, tokens + (Math.max(nowMs - lastMs, 0) / 1000) * ratePerSecond);
      lastMs = nowMs;
      // A hair below one is one: the sum of many small parts is never exact.
      if (tokens >= 1 - 1e-9) {
        tokens -= 1;
        return 0;
      }
      return Math.max(Math.ceil(((1 - tokens) / ratePerSecond) * 1000 - 1e-6), 1);
    },
  };
};
