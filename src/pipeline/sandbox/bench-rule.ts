// Suspends expressions that exceed their limits repeatedly, so that one bad filter does not delay the others. An
// expression whose thread had to be terminated is suspended immediately.
import { benchMs, maxCompiledExpressions, maxStrikes } from '../limits.ts';
import type { ExpressionOutcome, FailureKind } from './protocol.ts';

interface Record {
  strikes: number;
  untilMs: number;
}

export type Bench = Map<string, Record>;

const costly: ReadonlySet<FailureKind> = new Set(['slow', 'memory', 'recursion', 'hung']);

/** The outcome to report instead of running a suspended expression; null if it may run. */
export const restingOutcome = (
  bench: Bench,
  text: string,
  nowMs: number,
): (ExpressionOutcome & { readonly type: 'failed' }) | null => {
  const record = bench.get(text);
  if (record === undefined || record.untilMs <= nowMs) return null;
  const seconds = Math.ceil((record.untilMs - nowMs) / 1000);
  const message = `not run: exceeded its limits too often, next try in ${seconds} s`;
  return { type: 'failed', kind: 'resting', message };
};

/** Updates the strikes from an outcome. `nowMs` is monotonic time. */
export const noteOutcome = (bench: Bench, text: string, outcome: ExpressionOutcome, nowMs: number): void => {
  if (outcome.type === 'failed' && outcome.kind === 'resting') return;
  if (outcome.type === 'value' || !costly.has(outcome.kind)) {
    bench.delete(text);
    return;
  }
  const strikes = outcome.kind === 'hung' ? maxStrikes : (bench.get(text)?.strikes ?? 0) + 1;
  if (bench.size >= maxCompiledExpressions) bench.clear();
  // After a suspension the expression gets one try: the strikes stay until it succeeds.
  bench.set(text, { strikes, untilMs: strikes >= maxStrikes ? nowMs + benchMs : 0 });
};
