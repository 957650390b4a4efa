// An event that arrives with its past: somebody writes, over the API, an event that is not known here and that has a history,
// as a dump of another backend holds it. Its counts go on from there, so that an open incident stays the same incident.
import type { Check, HistoryEntry } from '../../model/check/check.ts';
import { maxHistoryEntries } from '../limits.ts';

/** What a merge asks of the event before. */
export type Before = Pick<Check, 'history' | 'state' | 'occurrences' | 'occurrences_watermark' | 'last_ok'> &
  Partial<Pick<Check, 'acknowledgement' | 'incident_notes' | 'masking'>>;

export interface Past {
  readonly before: Before;
  /** The last entry is the result of the event itself: it is no news, it was told where it comes from. */
  readonly includesResult: boolean;
}

const trailingRun = (history: readonly HistoryEntry[]): number => {
  const status = history.at(-1)?.status;
  const other = history.findLastIndex((entry) => entry.status !== status);
  return history.length - 1 - other;
};

const lastPassing = (history: readonly HistoryEntry[]): number =>
  history.findLast(({ status }) => status === 0)?.executed ?? 0;

/**
 * What a check says about its past; null when it has none. Counts that contradict the history are computed from it: only when
 * the history is one single run may that run have begun before it.
 */
export const pastOf = (check: Check): Past | null => {
  const sent = check.history ?? [];
  if (sent.length === 0) return null;
  const history = sent.slice(-maxHistoryEntries);
  const run = trailingRun(history);
  const occurrences = run === history.length ? Math.max(run, check.occurrences) : run;
  const last = history.at(-1);
  return {
    before: {
      history,
      state: check.state,
      occurrences,
      occurrences_watermark: Math.max(occurrences, check.occurrences_watermark),
      last_ok: Math.max(check.last_ok, lastPassing(history)),
    },
    includesResult: last?.status === check.status && last.executed === check.executed,
  };
};
