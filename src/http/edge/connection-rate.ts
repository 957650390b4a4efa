// Rate limit for new agent connections. When many agents reconnect at once, connections above the rate are told to
// retry later.

export interface ConnectionRate {
  /** Seconds to wait, or 0 if the connection may proceed. */
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
