// The history of a check: its last 21 results, oldest first, in order of arrival (backend sheet 3.3).
import type { HistoryEntry } from '../../model/check/check.ts';
import { maxHistoryEntries } from '../limits.ts';

/** A new list that ends with `entry`; the oldest entry leaves once there are more than 21. */
export const appendHistory = (
  history: readonly HistoryEntry[] | null | undefined,
  entry: HistoryEntry,
): HistoryEntry[] => {
  const known = history ?? [];
  const first = Math.max(0, known.length + 1 - maxHistoryEntries);
  // Exactly as long as it has to be: a list that grew by `push` would keep room for as many entries again.
  const next = new Array<HistoryEntry>(known.length + 1 - first);
  for (let at = first; at < known.length; at += 1) next[at - first] = known[at] as HistoryEntry;
  next[next.length - 1] = entry;
  return next;
};

/** The status before the newest one; undefined when there is none. */
export const previousStatus = (history: readonly HistoryEntry[]): number | undefined =>
  history[history.length - 2]?.status;

/** The newest status differs from the one before it, or is the first of all. */
export const isStatusChange = (history: readonly HistoryEntry[]): boolean =>
  previousStatus(history) !== history[history.length - 1]?.status;

/** Not OK before, OK now (backend sheet 3.7). */
export const isResolution = (history: readonly HistoryEntry[]): boolean => {
  const before = previousStatus(history);
  return before !== undefined && before !== 0 && history[history.length - 1]?.status === 0;
};
