// Overdue: whether a schedule that is followed since a moment should have run by now. Asked by the watchdog, which has no
// part in the scheduling it watches. Pure.
import type { CheckConfig } from '../../model/check/check.ts';
import { nextRun } from './next-run-rule.ts';
import { isSubdued } from './subdue-rule.ts';

export interface Watched {
  readonly config: CheckConfig;
  /** Wall milliseconds: its last run, or since when it is watched. */
  readonly sinceMs: number;
}

export type Judgement =
  | { readonly overdue: false; readonly why: 'unpublished' | 'subdued' | 'neverDue' | 'notYet' }
  /** It was due at `dueMs` and has not run. */
  | { readonly overdue: true; readonly dueMs: number };

/** A run may be late by `graceMs`: the machine is busy, a timer fires late. Ticks inside a subdue window are none. */
export const judgeSchedule = ({ config, sinceMs }: Watched, nowMs: number, graceMs: number): Judgement => {
  if (!config.publish) return { overdue: false, why: 'unpublished' };
  if (isSubdued(config, nowMs)) return { overdue: false, why: 'subdued' };
  let dueMs = nextRun(config, sinceMs);
  while (dueMs !== null && dueMs + graceMs < nowMs && isSubdued(config, dueMs))
    dueMs = nextRun(config, dueMs);
  if (dueMs === null) return { overdue: false, why: 'neverDue' };
  return dueMs + graceMs < nowMs ? { overdue: true, dueMs } : { overdue: false, why: 'notYet' };
};
