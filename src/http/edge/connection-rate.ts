// The connection rate: a bucket of tokens that refills steadily. A storm of reconnecting agents drains it, and the rest
// is told to come back later instead of being half served.

export interface ConnectionRate {
  /** Seconds to wait, or 0 when the connection may go on. */
  take(): number;
}

/** `perSecond` 0 means no limit. */
export const createConnectionRate = (
  perSecond: number,
  burst: number,
  monotonicMs: () => number,
): ConnectionRate => {
  if (perSecond <= 0) return { take: () => 0 };
  const capacity = Math.max(burst, 1);
  let tokens = capacity;
  let atMs = monotonicMs();
  return {
    take() {
      const nowMs = monotonicMs();
      tokens = Math.min(capacity, tokens + ((nowMs - atMs) / 1_000) * perSecond);
      atMs = nowMs;
      if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / perSecond));
      tokens -= 1;
      return 0;
    },
  };
};
