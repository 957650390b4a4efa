// Flapping: how much a check's status changed lately, and whether that is too much (backend sheet 3.4 and 3.5).
import type { HistoryEntry } from '../../model/check/check.ts';
import { maxHistoryEntries } from '../limits.ts';

const oldestWeight = 0.8;
const weightStep = 0.02;

/**
 * Weighted share of status changes in a full history, in percent, 0 to 98; 0 until the history is full. Newer changes
 * weigh more. The 32-bit steps at the end are the reference product's: without them a check that changes every time
 * would show 99.
 */
export const totalStateChange = (history: readonly HistoryEntry[]): number => {
  if (history.length < maxHistoryEntries) return 0;
  let weight = oldestWeight;
  let sum = 0;
  let before = history[0]?.status;
  for (let index = 1; index < maxHistoryEntries; index += 1) {
    const status = history[index]?.status;
    if (status !== before) sum += weight;
    weight += weightStep;
    before = status;
  }
  return Math.trunc(Math.fround(Math.fround(Math.fround(sum) / 20) * 100));
};

export interface FlapQuestion {
  readonly wasFlapping: boolean;
  /** From `totalStateChange`. */
  readonly change: number;
  readonly low: number;
  readonly high: number;
}

/** Flapping begins at the high threshold and ends at the low one; without both thresholds nothing ever flaps. */
export const isFlapping = ({ wasFlapping, change, low, high }: FlapQuestion): boolean => {
  if (low === 0 || high === 0) return false;
  return wasFlapping ? change > low : change >= high;
};
