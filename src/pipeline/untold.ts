// Untold: an event nobody is told of, found out at once and without the sandbox: what it names cannot run, or built-in filters
// and time windows deny every workflow. Most results of a healthy site are such. Here they cost a few look-ups; the trace says
// why all the same.
import type { Event } from '../model/event.ts';
import { passAtOnce, stoppedWorkflow } from './filters.ts';
import { planWorkflows } from './plan.ts';
import type { ResourceLookup } from './ports.ts';
import { type Trace, traceOf, type WorkflowTrace } from './trace.ts';

/** The trace of an event that names nobody who can be told; undefined when somebody can. Asked before results are merged. */
export const unheardTrace = (event: Event, lookup: ResourceLookup, nowMs: number): Trace | undefined => {
  const { workflows, skipped } = planWorkflows(event, lookup);
  if (workflows.length > 0) return undefined;
  const timestamp = event.timestamp || Math.floor(nowMs / 1000);
  return traceOf({ ...event, timestamp }, { startedAtMs: nowMs, durationMs: 0, workflows: [], skipped });
};

/** The trace of an event that is stopped in every workflow by a filter that needs no sandbox; undefined when one may pass. */
export const deniedTrace = (event: Event, lookup: ResourceLookup, nowMs: number): Trace | undefined => {
  const plan = planWorkflows(event, lookup);
  const workflows: WorkflowTrace[] = [];
  for (const workflow of plan.workflows) {
    const pass = passAtOnce(workflow, event, plan.namespace, { lookup, nowMs: () => nowMs });
    const stopped = pass === undefined ? undefined : stoppedWorkflow(workflow, pass);
    if (stopped === undefined) return undefined;
    workflows.push(stopped);
  }
  return traceOf(event, { startedAtMs: nowMs, durationMs: 0, workflows, skipped: plan.skipped });
};
