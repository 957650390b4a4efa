// The trace of one event through the pipelines: plain JSON for operators, the dashboard and `event trace`. It shows
// which filter dropped an event and why, without reading logs.
import { type Event, eventNamespace } from '../model/event/event.ts';
import { maxHandlerOutputBytes, maxReasonChars } from './limits.ts';

type FilterVerdict = 'allowed' | 'denied' | 'error';

export interface FilterStep {
  readonly name: string;
  /** `error`: an expression failed; it counts as not matched, and `stopped` shows the result. */
  readonly verdict: FilterVerdict;
  readonly why: string;
  /** True if the workflow ended here. */
  readonly stopped: boolean;
  readonly durationMs: number;
}

export interface MutatorStep {
  readonly name: string;
  /** Size of the output. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly error?: string;
}

export type HandlerOutcome = 'handled' | 'failed' | 'timedOut' | 'skipped';

export interface HandlerStep {
  readonly name: string;
  readonly type: string;
  readonly outcome: HandlerOutcome;
  readonly why: string;
  /** Exit status of a pipe handler; 2 after a timeout. */
  readonly status?: number;
  /** At most 4 KiB, with secrets removed. */
  readonly output?: string;
  readonly durationMs: number;
  /** An outage: the same delivery may succeed later. */
  readonly retry?: true;
}

type WorkflowOutcome = HandlerOutcome | 'denied';

export interface WorkflowTrace {
  readonly pipeline: string;
  readonly name: string;
  readonly outcome: WorkflowOutcome;
  readonly why: string;
  readonly filters: readonly FilterStep[];
  readonly mutator?: MutatorStep;
  readonly handler?: HandlerStep;
  readonly retry?: true;
}

/** A name in the event that could not be resolved to a workflow. */
export interface SkippedStep {
  readonly skipped: string;
  readonly why: string;
}

export interface Trace {
  readonly event: {
    readonly id: string | null;
    readonly namespace: string;
    readonly entity: string;
    readonly check: string | null;
    readonly timestamp: number;
  };
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly workflows: readonly WorkflowTrace[];
  readonly skipped: readonly SkippedStep[];
  /** True if at least one workflow failed on an outage. Pass this trace to the next run to repeat only those. */
  readonly retry: boolean;
  readonly summary: string;
  /**
   * Deliveries of this check dropped since it was created, because too many or too large ones were queued. Absent
   * if none.
   */
  readonly droppedDeliveries?: number;
}

export const againIf = (retry: boolean): { readonly retry?: true } => (retry ? { retry: true } : {});

/** Combines the results of the workflows into the trace of the event. */
export const traceOf = (
  event: Event,
  run: Pick<Trace, 'startedAtMs' | 'durationMs' | 'workflows' | 'skipped'>,
): Trace => ({
  event: {
    id: event.id,
    namespace: eventNamespace(event),
    entity: event.entity.metadata.name,
    check: event.check?.metadata.name ?? null,
    timestamp: event.timestamp,
  },
  ...run,
  retry: run.workflows.some((workflow) => workflow.retry === true),
  summary: summarise(run.workflows, run.skipped),
});

/** Milliseconds, rounded to microseconds. */
export const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Truncates a reason to one line of limited length. */
export const clipReason = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxReasonChars ? line : `${line.slice(0, maxReasonChars - 1)}…`;
};

/** The start of an output, without splitting a character. */
export const clipOutput = (text: string): string => {
  if (Buffer.byteLength(text) <= maxHandlerOutputBytes) return text;
  const cut = Buffer.from(text).subarray(0, maxHandlerOutputBytes).toString('utf8');
  return cut.endsWith('\uFFFD') ? cut.slice(0, -1) : cut;
};

/** `2 handled, 1 denied`, or why no workflow ran. */
const summarise = (workflows: readonly WorkflowTrace[], skipped: readonly SkippedStep[]): string => {
  if (workflows.length === 0 && skipped.length === 0) return 'no pipelines defined in resource';
  const counts = new Map<string, number>();
  const count = (word: string, by = 1): unknown => counts.set(word, (counts.get(word) ?? 0) + by);
  for (const workflow of workflows) count(workflow.outcome === 'timedOut' ? 'timed out' : workflow.outcome);
  if (skipped.length > 0) count('not runnable', skipped.length);
  return [...counts].map(([word, times]) => `${times} ${word}`).join(', ');
};
