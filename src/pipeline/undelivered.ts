// Fast path for events that no handler receives: their names cannot be resolved, or built-in filters and time
// windows deny every workflow. This covers most results of a healthy site and needs only a few lookups and no
// sandbox. The trace still contains the reasons.
import type { Event } from '../model/event/event.ts';
import { passAtOnce, stoppedWorkflow } from './filters.ts';
import { planWorkflows } from './plan.ts';
import type { ResourceLookup } from './ports.ts';
import { type Trace, traceOf, type WorkflowTrace } from './trace.ts';

/**
 * The trace of an event without any workflow that can run; undefined if there is one. Called before results are
 * merged.
 */
export const unroutedTrace = (event: Event, lookup: ResourceLookup, nowMs: number): Trace | undefined => {
  const { workflows, skipped } = planWorkflows(event, lookup);
  if (workflows.length > 0) return undefined;
  const timestamp = event.timestamp || Math.floor(nowMs / 1000);
  return traceOf({ ...event, timestamp }, { startedAtMs: nowMs, durationMs: 0, workflows: [], skipped });
};

/** The trace of an event if a filter without the sandbox stops every workflow; undefined if one may pass. */
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
