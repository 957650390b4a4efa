// How bad an event is, and since when: since the first result of the run of equally bad ones that the last result belongs to.
// The moment is kept in the record of the check; the history reaches back 21 results only. Pure.
import type { CheckEvent } from '../../model/event/event.ts';

/** Worst first: that is the order of lists, too. */
export const severities = ['critical', 'warning', 'unknown', 'passing'] as const;
export type Severity = (typeof severities)[number];

export const severityOf = (status: number): Severity =>
  status === 2 ? 'critical' : status === 1 ? 'warning' : status === 0 ? 'passing' : 'unknown';

const timeOf = ({ check, timestamp }: CheckEvent): number => check.executed || timestamp;

/** As far back as the history goes, in Unix seconds: for events whose record does not say since when. */
export const sinceInHistory = (event: CheckEvent): number => {
  const { check } = event;
  const severity = severityOf(check.status);
  let since = timeOf(event);
  for (const { status, executed } of [...(check.history ?? [])].reverse()) {
    if (severityOf(status) !== severity) break;
    since = executed || since;
  }
  return since;
};

/**
 * Unix seconds, after one more result, which arrived at `nowSeconds`: nothing has been failing since a moment to come, whatever
 * the clock of a host says. `before` is what it was merged with, `beforeSince` what was kept of that.
 */
export const sinceAfter = (
  before: CheckEvent | null,
  beforeSince: number | null | undefined,
  merged: CheckEvent,
  nowSeconds: number,
): number => Math.min(nowSeconds, sinceWritten(before, beforeSince, merged));

const sinceWritten = (
  before: CheckEvent | null,
  beforeSince: number | null | undefined,
  merged: CheckEvent,
): number => {
  // An event that is imported brings its history along.
  if (before === null) return sinceInHistory(merged);
  if (severityOf(before.check.status) !== severityOf(merged.check.status)) return timeOf(merged);
  return beforeSince ?? sinceInHistory(before);
};
