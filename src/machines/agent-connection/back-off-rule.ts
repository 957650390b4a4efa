// Back-off: how long to wait before trying again (agent sheet 1.7). Waits grow by a factor and by chance, so that many
// who lost the same partner do not all come back in the same moment.

export interface BackOff {
  readonly minMs: number;
  readonly maxMs: number;
  readonly multiplier: number;
}

/** Waits of an agent between two attempts to connect. */
export const agentBackOff: BackOff = { minMs: 1_000, maxMs: 120_000, multiplier: 2 };

/** The wait after `waitMs`; `random` is in [0, 1). Not yet clamped: the wait itself is, by `clampWaitMs`. */
export const nextWaitMs = (waitMs: number, { multiplier, maxMs }: BackOff, random: number): number => {
  const longer = Math.min(waitMs, maxMs) * multiplier;
  return longer + random * longer;
};

export const clampWaitMs = (waitMs: number, { maxMs }: BackOff): number => Math.min(waitMs, maxMs);
