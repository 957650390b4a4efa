// Back-off: the wait before the next attempt. Waits grow by a factor and at random, so that agents which lost the same
// backend do not all reconnect at once.

export interface BackOff {
  readonly minMs: number;
  readonly maxMs: number;
  readonly multiplier: number;
}

/** The wait after `waitMs`; `random` is in [0, 1). Not yet clamped: the wait itself is, by `clampWaitMs`. */
export const nextWaitMs = (waitMs: number, { multiplier, maxMs }: BackOff, random: number): number => {
  const longer = Math.min(waitMs, maxMs) * multiplier;
  return longer + random * longer;
};

/**
 * The wait itself. At its longest it varies and stays a tenth below the maximum: the default maximum is also the default
 * time after which a silent agent is reported, and a backend that is up again counts from its start.
 */
export const clampWaitMs = (waitMs: number, { minMs, maxMs }: BackOff, random: number): number =>
  Math.min(waitMs, maxMs, Math.max(minMs, maxMs * (0.75 + 0.15 * random)));

/** Where an agent is in its list of backends; `attempts` counts those that failed, too. */
interface Round {
  readonly urls: readonly string[];
  readonly attempts: number;
  readonly waitMs: number;
  readonly backOff: BackOff;
}

/** All backends were tried. */
export const isRoundOver = ({ urls, attempts }: Round): boolean => attempts % urls.length === 0;

/** The wait after a failed attempt: short within a round. */
export const waitBeforeNextMs = (round: Round, random: number): number =>
  clampWaitMs(isRoundOver(round) ? round.waitMs : round.backOff.minMs, round.backOff, random);
