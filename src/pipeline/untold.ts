// Untold: an event that names handlers or pipelines, none of which can run. Found out before anything is queued for it, so that
// it costs a few look-ups and no delivery.
import type { Event } from '../model/event.ts';
import { planWorkflows } from './plan.ts';
import type { ResourceLookup } from './ports.ts';
import { type Trace, traceOf } from './trace.ts';

/** The trace of an event nobody can be told of: it says why. Undefined when somebody can. */
export const untoldTrace = (event: Event, lookup: ResourceLookup, nowMs: number): Trace | undefined => {
  const { workflows, skipped } = planWorkflows(event, lookup);
  const timestamp = event.timestamp || Math.floor(nowMs / 1000);
  return workflows.length > 0
    ? undefined
    : traceOf({ ...event, timestamp }, { startedAtMs: nowMs, durationMs: 0, workflows: [], skipped });
};
