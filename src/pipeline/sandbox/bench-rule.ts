// The bench: expressions that were stopped several times in a row rest for a while, so that one bad filter costs its
// owner the filter and everybody else nothing. One that had to be ended with its whole thread rests at once.
import { benchMs, maxCompiledExpressions, maxStrikes } from '../limits.ts';
import type { ExpressionOutcome, FailureKind } from './protocol.ts';

interface Record {
  strikes: number;
  untilMs: number;
}

export type Bench = Map<string, Record>;

const costly: ReadonlySet<FailureKind> = new Set(['slow', 'memory', 'recursion', 'hung']);

/** What to report instead of running this expression now; null when it may run. */
export const restingOutcome = (
  bench: Bench,
  text: string,
  nowMs: number,
): (ExpressionOutcome & { readonly type: 'failed' }) | null => {
  const record = bench.get(text);
  if (record === undefined || record.untilMs <= nowMs) return null;
  const seconds = Math.ceil((record.untilMs - nowMs) / 1000);
  const message = `not run: stopped too often, tried again in ${seconds} s`;
  return { type: 'failed', kind: 'resting', message };
};

/** Learns from an outcome. `nowMs` is monotonic time. */
export const noteOutcome = (bench: Bench, text: string, outcome: ExpressionOutcome, nowMs: number): void => {
  if (outcome.type === 'failed' && outcome.kind === 'resting') return;
  if (outcome.type === 'value' || !costly.has(outcome.kind)) {
    bench.delete(text);
    return;
  }
  const strikes = outcome.kind === 'hung' ? maxStrikes : (bench.get(text)?.strikes ?? 0) + 1;
  if (bench.size >= maxCompiledExpressions) bench.clear();
  // After a rest the expression has one try: the strikes stay until it succeeds.
  bench.set(text, { strikes, untilMs: strikes >= maxStrikes ? nowMs + benchMs : 0 });
};
