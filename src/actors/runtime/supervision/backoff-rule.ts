// How long to wait before a restart, and how many failures are too many: pure, the caller brings time and chance.
import {
  backoffJitter,
  maxBackoffMs,
  minBackoffMs,
  sharedFaultMinChildren,
  sharedFaultShare,
} from '../limits.ts';

/** Milliseconds before attempt 1, 2, 3...: 1 s doubling to 60 s, and up to a fifth more. `random` is in [0, 1). */
export const backoffMs = (attempt: number, random: number): number => {
  const base = Math.min(maxBackoffMs, minBackoffMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(base * (1 + backoffJitter * random));
};

/** Failures inside a sliding period of monotonic time. */
export interface FailureWindow {
  /** Adds one and returns how many the period holds now. */
  add(nowMs: number): number;
}

export const createFailureWindow = (periodMs: number): FailureWindow => {
  let times: number[] = [];
  return {
    add(nowMs) {
      times = times.filter((time) => nowMs - time < periodMs);
      times.push(nowMs);
      return times.length;
    },
  };
};

/** Which different children failed lately: many at once have one cause, and it is not theirs. */
export interface FaultSpread {
  /** True when more than a tenth of the children, and at least ten, failed within the period. */
  add(id: string, nowMs: number, childCount: number): boolean;
}

export const createFaultSpread = (periodMs: number): FaultSpread => {
  const lastFailed = new Map<string, number>();
  const forgetBefore = (limitMs: number): void => {
    // Insertion order is the order of time, so the old ones are in front.
    for (const [id, time] of lastFailed) {
      if (time > limitMs) return;
      lastFailed.delete(id);
    }
  };
  return {
    add(id, nowMs, childCount) {
      lastFailed.delete(id);
      lastFailed.set(id, nowMs);
      forgetBefore(nowMs - periodMs);
      return lastFailed.size >= sharedFaultMinChildren && lastFailed.size > childCount * sharedFaultShare;
    },
  };
};
