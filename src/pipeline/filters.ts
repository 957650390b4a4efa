// Evaluates the filters of one event. Built-in filters and time windows are evaluated immediately; all custom
// filters of all workflows go to the sandbox in one message, so that the event is parsed once.
import type { Event } from '../model/event/event.ts';
import type { EventFilter } from '../model/pipeline/event-filter.ts';
import { type BuiltInVerdict, judgeBuiltIn } from './built-in-filters.ts';
import { clientGateName } from './client-rules.ts';
import { scriptsOf } from './environment.ts';
import { isRetryable, messageOf } from './failures.ts';
import { type Ruling, ruleOutcomes, ruleWindows } from './filter-rule.ts';
import type { PlannedWorkflow } from './plan.ts';
import type { PipelineDeps } from './ports.ts';
import type { FilterProgram } from './sandbox/protocol.ts';
import { againIf, clipReason, type FilterStep, roundMs, type WorkflowTrace } from './trace.ts';

type Judged = Ruling & { readonly durationMs: number; readonly retry?: true };

export interface FilterPass {
  readonly steps: readonly FilterStep[];
  /** The step at which the workflow stopped, if a filter denied or failed. */
  readonly stop: FilterStep | null;
  /** The sandbox was unavailable; the same filters may pass later. */
  readonly retry: boolean;
}

type FilterDeps = Pick<PipelineDeps, 'lookup' | 'filters' | 'loadAssets' | 'nowMs'>;

/**
 * Evaluates filters for every workflow of this event. Each filter runs at most once per event, and `eventJson` is
 * called only if a custom filter runs.
 */
export const judgeFilters = async (
  event: Event,
  eventJson: () => string,
  namespace: string,
  workflows: readonly PlannedWorkflow[],
  deps: FilterDeps,
): Promise<(workflow: PlannedWorkflow) => FilterPass> => {
  const rulings = new Map<string, Judged>();
  const programs = new Map<string, EventFilter>();
  const nowMs = deps.nowMs();
  for (const workflow of workflows) {
    if (workflow.gate?.(event).allowed === false) continue;
    for (const name of workflow.filters) {
      if (programs.has(name)) continue;
      const ruling = rulings.get(name) ?? judgeAtOnce(name, event, namespace, nowMs, deps);
      if ('metadata' in ruling) programs.set(name, ruling);
      else {
        rulings.set(name, ruling);
        // Filters after a denying filter are not reached, so they are not evaluated for this workflow.
        if (ruling.stopped) break;
      }
    }
  }
  if (programs.size > 0) await runPrograms(eventJson, namespace, nowMs, programs, rulings, deps);
  return (workflow) => walk(workflow, event, rulings);
};

/** The filter result of a workflow if no filter that it reaches needs the sandbox; otherwise undefined. */
export const passAtOnce = (
  workflow: PlannedWorkflow,
  event: Event,
  namespace: string,
  deps: Pick<FilterDeps, 'lookup' | 'nowMs'>,
): FilterPass | undefined => {
  const rulings = new Map<string, Judged>();
  if (workflow.gate?.(event).allowed === false) return walk(workflow, event, rulings);
  for (const name of workflow.filters) {
    const ruling = judgeAtOnce(name, event, namespace, deps.nowMs(), deps);
    if ('metadata' in ruling) return undefined;
    rulings.set(name, ruling);
    if (ruling.stopped) break;
  }
  return walk(workflow, event, rulings);
};

const judgedBuiltIn = ({ allowed, why }: BuiltInVerdict): Judged => ({
  verdict: allowed ? 'allowed' : 'denied',
  stopped: !allowed,
  why,
  durationMs: 0,
});

/** A verdict that needs no sandbox, or the definition of a filter that does. */
const judgeAtOnce = (
  name: string,
  event: Event,
  namespace: string,
  nowMs: number,
  deps: Pick<FilterDeps, 'lookup'>,
): Judged | EventFilter => {
  const builtIn = judgeBuiltIn(name, event);
  if (builtIn !== undefined) return judgedBuiltIn(builtIn);
  const filter = deps.lookup.filter(namespace, name);
  if (filter === undefined)
    return { verdict: 'error', stopped: true, why: `filter ${name} does not exist`, durationMs: 0 };
  const windows = ruleWindows(filter, nowMs);
  return windows === null ? filter : { ...windows, durationMs: 0 };
};

const runPrograms = async (
  eventJson: () => string,
  namespace: string,
  nowMs: number,
  filters: ReadonlyMap<string, EventFilter>,
  rulings: Map<string, Judged>,
  deps: FilterDeps,
): Promise<void> => {
  const programs: FilterProgram[] = [];
  for (const [name, filter] of filters) {
    try {
      programs.push(await toProgram(name, filter, namespace, deps));
    } catch (error) {
      rulings.set(name, notEvaluated(name, error));
    }
  }
  try {
    const runs = await deps.filters.evaluate(eventJson(), nowMs, programs);
    for (const [index, { name }] of programs.entries()) {
      const filter = filters.get(name);
      const run = runs[index];
      if (filter === undefined || run === undefined) continue;
      const ruling = ruleOutcomes(filter, run.outcomes, deps.filters.limits);
      rulings.set(name, { ...ruling, durationMs: roundMs(run.durationMs) });
    }
  } catch (error) {
    for (const { name } of programs) rulings.set(name, notEvaluated(name, error));
  }
};

const notEvaluated = (name: string, error: unknown): Judged => ({
  verdict: 'error',
  stopped: true,
  why: clipReason(`filter ${name} was not evaluated: ${messageOf(error)}`),
  durationMs: 0,
  ...againIf(isRetryable(error)),
});

const toProgram = async (
  name: string,
  filter: EventFilter,
  namespace: string,
  deps: FilterDeps,
): Promise<FilterProgram> => {
  return {
    name,
    action: filter.action === 'deny' ? 'deny' : 'allow',
    expressions: filter.expressions,
    scripts: await scriptsOf(filter, namespace, deps),
  };
};

const walk = (workflow: PlannedWorkflow, event: Event, rulings: ReadonlyMap<string, Judged>): FilterPass => {
  const steps: FilterStep[] = [];
  const gate = workflow.gate?.(event);
  if (gate !== undefined) {
    const step: FilterStep = { name: clientGateName, ...judgedBuiltIn(gate) };
    steps.push(step);
    if (step.stopped) return { steps, stop: step, retry: false };
  }
  for (const name of workflow.filters) {
    const ruling = rulings.get(name);
    if (ruling === undefined) continue;
    const { retry, ...rest } = ruling;
    const step: FilterStep = { name, ...rest };
    steps.push(step);
    if (step.stopped) return { steps, stop: step, retry: retry === true };
  }
  return { steps, stop: null, retry: false };
};

/** The outcome of a workflow that stopped at a filter; undefined if it continues. */
export const stoppedWorkflow = (
  { pipeline, name }: PlannedWorkflow,
  { steps, stop, retry }: FilterPass,
): WorkflowTrace | undefined =>
  stop === null
    ? undefined
    : {
        pipeline,
        name,
        filters: steps,
        outcome: stop.verdict === 'denied' ? 'denied' : 'failed',
        why: `${stop.name}: ${stop.why}`,
        ...againIf(retry),
      };
