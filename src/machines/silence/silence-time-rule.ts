// When a silence has to be looked at again: its begin, its end, and the edges of its windows.

import { windowEdges } from '../../model/silence/silence-windows.ts';
import type { SilenceSpan } from '../../model/silence/silencing.ts';
import { nextPatternRun } from '../schedule/next-run-rule.ts';

/** The next wall time, milliseconds, at which a silence may begin, pause or end; null when it holds for good. */
export const nextLookMs = ({ beginMs, endMs, windows = [] }: SilenceSpan, nowMs: number): number | null => {
  if (beginMs > nowMs) return beginMs;
  const edges = windowEdges(windows).map(({ pattern, timeZone }) => nextPatternRun(timeZone, pattern, nowMs));
  const ahead = [endMs, ...edges].filter((atMs): atMs is number => atMs !== null && atMs > nowMs);
  return ahead.length === 0 ? null : Math.min(...ahead);
};
