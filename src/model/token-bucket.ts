// A token bucket rate limiter: a rate per second and a burst. Pure: time is a parameter, and must not go back.

export interface TokenBucket {
  /** Takes a token and returns 0, or returns the milliseconds until one is available. */
  take(nowMs: number): number;
  /** Takes a token in advance if none is left. Returns the milliseconds until it is available, 0 if it is now. */
  reserve(nowMs: number): number;
  /** Returns a reserved token that is not needed. */
  giveBack(): void;
  /** Number of tokens taken in advance, as of the last call. */
  readonly reserved: number;
}

/** Fractions are added up: a token that lacks less than this is whole. */
const roundingError = 1e-9;

/** A rate of 0 means no limit. A burst below one counts as one; otherwise no token would ever be available. */
export const createTokenBucket = (ratePerSecond: number, burst: number, startMs: number): TokenBucket => {
  const capacity = Math.max(burst, 1);
  const isUnlimited = ratePerSecond <= 0;
  let tokens = capacity;
  let lastMs = startMs;
  const refill = (nowMs: number) => {
    tokens = Math.min(capacity, tokens + (Math.max(nowMs - lastMs, 0) / 1000) * ratePerSecond);
    lastMs = nowMs;
  };
  const msUntil = (missing: number) =>
    missing <= roundingError ? 0 : Math.max(Math.ceil((missing / ratePerSecond) * 1000 - 1e-6), 1);
  return {
    take: (nowMs) => {
      if (isUnlimited) return 0;
      refill(nowMs);
      const waitMs = msUntil(1 - tokens);
      if (waitMs === 0) tokens -= 1;
      return waitMs;
    },
    reserve: (nowMs) => {
      if (isUnlimited) return 0;
      refill(nowMs);
      tokens -= 1;
      return msUntil(-tokens);
    },
    giveBack: () => {
      tokens += 1;
    },
    get reserved() {
      return Math.max(0, Math.ceil(-tokens - roundingError));
    },
  };
};
