// Occurrences: how often in a row a check came back with the same status, and the highest such count of the current
// incident (the watermark). Filters ask for them: "the third failure", "every tenth" (backend sheet 3.6).
import type { HistoryEntry } from '../../model/check/check.ts';
import { previousStatus } from './history-rule.ts';

export interface Occurrences {
  readonly occurrences: number;
  readonly watermark: number;
}

/** `history` ends with the new result; `before` are the counts of the result before it, zeros for the first. */
export const countOccurrences = (history: readonly HistoryEntry[], before: Occurrences): Occurrences => {
  const status = history[history.length - 1]?.status ?? 0;
  const last = previousStatus(history);
  const occurrences = status === last ? before.occurrences + 1 : 1;
  // An incident begins: its watermark starts over. A change between two failures, and the resolution, keep it.
  if (status !== 0 && last === 0) return { occurrences, watermark: 1 };
  const watermark = occurrences <= before.watermark ? before.watermark : before.watermark + 1;
  return { occurrences, watermark };
};
