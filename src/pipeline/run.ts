// Runs the pipelines of one event: plan, filters, mutator, handler, and a trace of all steps. Workflows run in
// sequence, each on its own copy of the event; a workflow that fails, denies or is rejected does not affect the
// next. User mistakes are trace entries; only our bugs make this reject.
import type { Event } from '../model/event/event.ts';
import { isRunnableType } from '../model/pipeline/handler.ts';
import { directRunner } from './commands/run-command.ts';
import { buildEnvironment } from './environment.ts';
import { type FilterPass, judgeFilters, stoppedWorkflow } from './filters.ts';
import type { Handling } from './handlers/handling.ts';
import { handlerTable } from './handlers/table.ts';
import { mutateEvent } from './mutators.ts';
import { type PlannedWorkflow, planWorkflows } from './plan.ts';
import type { PipelineDeps } from './ports.ts';
import { serialiseEvent } from './serialise.ts';
import type { Span } from './span.ts';
import {
  againIf,
  clipReason,
  type HandlerStep,
  type MutatorStep,
  roundMs,
  type Trace,
  traceOf,
  type WorkflowTrace,
} from './trace.ts';

interface Run {
  readonly event: Event;
  /** Computed on first use: events that built-in filters deny are never serialized. */
  readonly eventJson: () => string;
  readonly namespace: string;
  readonly deps: PipelineDeps;
}

/**
 * Runs every workflow of the event. With the trace of an earlier run as `previous`, repeats only the workflows that
 * failed on an outage and copies the results of the others.
 */
export const runPipelines = async (event: Event, deps: PipelineDeps, previous?: Trace): Promise<Trace> => {
  const startedAtMs = deps.nowMs();
  const startedMs = performance.now();
  const plan = planWorkflows(event, deps.lookup);
  const settled = new Map(
    (previous?.workflows ?? [])
      .filter((workflow) => workflow.retry !== true)
      .map((workflow) => [workflowKey(workflow.pipeline, workflow.name), workflow]),
  );
  const due = plan.workflows.filter(({ pipeline, name }) => !settled.has(workflowKey(pipeline, name)));
  let json: string | undefined;
  const eventJson = (): string => {
    json ??= serialiseEvent(event);
    return json;
  };
  const run: Run = { event, eventJson, namespace: plan.namespace, deps };
  const judging = deps.span?.child('filters');
  const filtersOf = await judgeFilters(event, eventJson, plan.namespace, due, deps);
  judging?.end();
  const workflows: WorkflowTrace[] = [];
  for (const workflow of plan.workflows)
    workflows.push(
      settled.get(workflowKey(workflow.pipeline, workflow.name)) ??
        (await runWorkflow(workflow, filtersOf(workflow), run)),
    );
  return traceOf(event, {
    startedAtMs,
    durationMs: roundMs(performance.now() - startedMs),
    workflows,
    skipped: plan.skipped,
  });
};

const workflowKey = (pipeline: string, name: string): string => `${pipeline}/${name}`;

const runWorkflow = async (workflow: PlannedWorkflow, pass: FilterPass, run: Run): Promise<WorkflowTrace> => {
  const stopped = stoppedWorkflow(workflow, pass);
  if (stopped !== undefined) return stopped;
  const named = { pipeline: workflow.pipeline, name: workflow.name, filters: pass.steps };
  const startedMs = performance.now();
  const mutating = workflow.mutator === '' ? undefined : run.deps.span?.child(`mutator ${workflow.mutator}`);
  const mutation = await mutateEvent(
    workflow.mutator,
    run.event,
    run.eventJson(),
    run.namespace,
    under(run.deps, mutating),
  );
  mutating?.end({}, mutation.type === 'failed' ? mutation.why : undefined);
  const durationMs = roundMs(performance.now() - startedMs);
  if (mutation.type === 'failed') {
    const mutator: MutatorStep = { name: workflow.mutator, bytes: 0, durationMs, error: mutation.why };
    return { ...named, mutator, outcome: 'failed', why: mutation.why, ...againIf(mutation.retry) };
  }
  const mutator: MutatorStep = {
    name: workflow.mutator,
    bytes: Buffer.byteLength(mutation.data),
    durationMs,
  };
  const handler = await runHandler(workflow, mutation.data, run);
  return {
    ...named,
    mutator,
    handler,
    outcome: handler.outcome,
    why: handler.why,
    ...againIf(handler.retry === true),
  };
};

/** Runs inside the gate. The outcome is always reported to the gate, so that the slot is released. */
const runHandler = async (
  workflow: PlannedWorkflow,
  data: string | Buffer,
  run: Run,
): Promise<HandlerStep> => {
  const { handler } = workflow;
  const { name } = handler.metadata;
  const answer = await run.deps.gate.enter(run.namespace, name);
  const startedMs = performance.now();
  const step = (handling: Handling): HandlerStep => ({
    name,
    type: handler.type,
    ...handling,
    why: clipReason(handling.why),
    durationMs: roundMs(performance.now() - startedMs),
  });
  if (!answer.entered) return step({ outcome: 'skipped', why: answer.why, retry: true });
  const span = run.deps.span?.child(`handler ${name}`, {
    'mon.handler': name,
    'mon.handler.type': handler.type,
    'mon.pipeline': workflow.pipeline,
    'mon.workflow': workflow.name,
  });
  let outcome: HandlerStep['outcome'] = 'failed';
  let why = 'an unexpected error';
  try {
    const handled = step(await handle(workflow, data, { ...run, deps: under(run.deps, span) }));
    ({ outcome, why } = handled);
    return handled;
  } finally {
    answer.leave(outcome, why);
    span?.end({ 'mon.handler.outcome': outcome }, outcome === 'handled' ? undefined : why);
  }
};

/** What commands that run now belong to. */
const under = (deps: PipelineDeps, span: Span | undefined): PipelineDeps =>
  span === undefined ? deps : { ...deps, span };

const handle = async ({ handler }: PlannedWorkflow, data: string | Buffer, run: Run): Promise<Handling> => {
  const { signal } = run.deps;
  // The definition may have been deleted since planning.
  if (run.deps.lookup.handler(run.namespace, handler.metadata.name) === undefined)
    return { outcome: 'skipped', why: 'handler not found, skipping handler execution' };
  // The plan left out handlers of other types.
  if (!isRunnableType(handler.type)) throw new TypeError(`unknown handler type: ${handler.type}`);
  return handlerTable[handler.type]({
    handler,
    data,
    signal,
    commands: run.deps.commands ?? directRunner,
    environment: () => buildEnvironment(handler, run.namespace, run.deps),
  });
};
