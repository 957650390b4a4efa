// Turns expression results into a verdict with a reason. As in the reference product, a failing expression is
// skipped and the others decide; if none of them stops the event, it passes, so that errors do not suppress alerts.
// The verdict is then `error`, and the reason names the filter, the expression and the failure. Pure.
import type { EventFilter } from '../model/pipeline/event-filter.ts';
import type { ExpressionOutcome } from './sandbox/protocol.ts';
import type { FilterStep } from './trace.ts';
import { clipReason } from './trace.ts';
import { checkWindows } from './when-rule.ts';

export interface Ruling {
  readonly verdict: FilterStep['verdict'];
  readonly stopped: boolean;
  readonly why: string;
}

const allowed = (why: string): Ruling => ({ verdict: 'allowed', stopped: false, why });
const denied = (why: string): Ruling => ({ verdict: 'denied', stopped: true, why });

/** The verdict of the time windows alone; null if the expressions decide. */
export const ruleWindows = (filter: EventFilter, nowMs: number): Ruling | null => {
  if (!filter.when) return null;
  const answer = checkWindows(filter.when, nowMs);
  const allowing = filter.action === 'allow';
  if (answer.type === 'unreadable')
    return { verdict: 'error', stopped: allowing, why: `filter ${filter.metadata.name}: ${answer.why}` };
  if (allowing && answer.type === 'outside') return denied('outside its time windows (UTC)');
  if (!allowing && answer.type === 'inside')
    return denied(`inside its time window ${answer.window.begin} - ${answer.window.end} (UTC)`);
  return null;
};

type Failed = ExpressionOutcome & { readonly type: 'failed' };

/** Describes a failed expression; the text follows `expression 0`. */
export const describeFailure = (
  failure: Failed,
  limits: { readonly timeMs: number; readonly memoryBytes: number },
): string => {
  switch (failure.kind) {
    case 'slow':
    case 'hung':
      return `stopped after ${limits.timeMs} ms`;
    case 'memory':
      return `ran out of memory (${Math.floor(limits.memoryBytes / 1_048_576)} MiB)`;
    case 'recursion':
      return 'nested or recursed too deeply';
    case 'syntax':
      return `has a syntax error: ${failure.message.replace(/^SyntaxError: /, '')}`;
    case 'threw':
      return `threw ${failure.message}`;
    case 'resting':
      return failure.message;
  }
};

/** The outcomes end with the deciding expression, where the sandbox stops. */
export const ruleOutcomes = (
  filter: EventFilter,
  outcomes: readonly ExpressionOutcome[],
  limits: { readonly timeMs: number; readonly memoryBytes: number },
): Ruling => {
  const allowing = filter.action === 'allow';
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.type === 'failed'
      ? [`filter ${filter.metadata.name}: expression ${index} ${describeFailure(outcome, limits)}`]
      : [],
  );
  const decided = outcomes.findIndex((outcome) => outcome.type === 'value' && outcome.truthy === !allowing);
  if (decided !== -1) return denied(`expression ${decided} is ${allowing ? 'false' : 'true'}`);
  if (failures.length > 0)
    return {
      verdict: 'error',
      stopped: false,
      why: clipReason(`${failures.join('; ')}; the event passes because of the error`),
    };
  return allowed(allowing ? 'every expression is true' : 'no expression is true');
};
