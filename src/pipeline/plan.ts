// The first step after an event is committed: which workflows it asks for, and why some names lead nowhere.
// Explicit pipelines come first, then one implicit pipeline made of check.handlers and metrics.handlers
// (backend sheet 6.1). Pure; mistakes in definitions are data, never throws.
import { type Event, eventNamespace } from '../model/event.ts';
import type { Handler } from '../model/handler.ts';
import type { Pipeline, WorkflowReference } from '../model/pipeline.ts';
import { type ClientGate, clientGate } from './client-rules.ts';
import { expandHandlers } from './handler-sets.ts';
import type { ResourceLookup } from './ports.ts';
import type { SkippedStep } from './trace.ts';

/** The name the implicit pipeline goes by in traces and logs. */
export const implicitPipelineName = 'legacy-pipeline';

export interface PlannedWorkflow {
  readonly pipeline: string;
  readonly name: string;
  readonly filters: readonly string[];
  readonly mutator: string;
  readonly handler: Handler;
  /** For events of clients of the earlier generation: asked before the filters, once the result is merged. */
  readonly gate?: ClientGate;
}

export interface Plan {
  readonly namespace: string;
  readonly workflows: readonly PlannedWorkflow[];
  readonly skipped: readonly SkippedStep[];
}

const named = (reference: WorkflowReference): string => `${reference.api_version}.${reference.type}`;

/** Only the list of the event itself counts; the agent copies a check's pipelines there. */
export const planWorkflows = (event: Event, lookup: ResourceLookup): Plan => {
  const namespace = eventNamespace(event);
  const workflows: PlannedWorkflow[] = [];
  const skipped: SkippedStep[] = [];
  for (const reference of event.pipelines ?? []) {
    if (named(reference) !== 'core/v2.Pipeline') {
      const why = `no pipeline adapters were found that support the resource: ${named(reference)} = ${reference.name}`;
      skipped.push({ skipped: `pipeline ${reference.name}`, why });
      continue;
    }
    const pipeline = lookup.pipeline(namespace, reference.name);
    if (pipeline === undefined)
      skipped.push({ skipped: `pipeline ${reference.name}`, why: 'pipeline does not exist' });
    else planPipeline(event, pipeline, namespace, lookup, workflows, skipped);
  }
  planImplicit(event, namespace, lookup, workflows, skipped);
  return { namespace, workflows, skipped };
};

const planPipeline = (
  event: Event,
  pipeline: Pipeline,
  namespace: string,
  lookup: ResourceLookup,
  workflows: PlannedWorkflow[],
  skipped: SkippedStep[],
): void => {
  const pipelineName = pipeline.metadata.name;
  if (pipeline.workflows.length === 0)
    skipped.push({ skipped: `pipeline ${pipelineName}`, why: 'pipeline has no workflows' });
  for (const workflow of pipeline.workflows) {
    const why = incapable(workflow.filters ?? [], workflow.mutator, workflow.handler);
    const handler = workflow.handler ? lookup.handler(namespace, workflow.handler.name) : undefined;
    const problem = why ?? (handler === undefined ? missing(workflow.handler?.name) : notRunnable(handler));
    if (problem !== null || handler === undefined) {
      skipped.push({
        skipped: `workflow ${pipelineName}/${workflow.name}`,
        why: problem ?? 'has no handler',
      });
      continue;
    }
    workflows.push({
      pipeline: pipelineName,
      name: workflow.name,
      filters: (workflow.filters ?? []).map((filter) => filter.name),
      mutator: workflow.mutator?.name || 'json',
      handler,
      ...clientGate(event, handler, true),
    });
  }
};

const missing = (name: string | undefined): string => `handler ${name ?? ''} does not exist`;

const incapable = (
  filters: readonly WorkflowReference[],
  mutator: WorkflowReference | null | undefined,
  handler: WorkflowReference | null | undefined,
): string | null => {
  const wrong = (reference: WorkflowReference, kind: string, doing: string): string | null =>
    named(reference) === `core/v2.${kind}`
      ? null
      : `resource type not capable of ${doing} events: ${named(reference)}`;
  if (!handler) return 'workflow handler must be set';
  for (const filter of filters) {
    const why = wrong(filter, 'EventFilter', 'filtering');
    if (why !== null) return why;
  }
  return (mutator ? wrong(mutator, 'Mutator', 'mutating') : null) ?? wrong(handler, 'Handler', 'handling');
};

/** Why a handler can do nothing by itself, or null. Sets are unfolded before, in the implicit pipeline only. */
const notRunnable = (handler: Handler): string | null => {
  const type = handler.type ?? '';
  if (type === '') return 'empty handler type';
  return type === 'pipe' || type === 'tcp' || type === 'udp' ? null : `unknown handler type: ${type}`;
};

const planImplicit = (
  event: Event,
  namespace: string,
  lookup: ResourceLookup,
  workflows: PlannedWorkflow[],
  skipped: SkippedStep[],
): void => {
  const names = [...(event.check?.handlers ?? []), ...(event.metrics?.handlers ?? [])];
  if (names.length === 0) return;
  const expansion = expandHandlers(names, (name) => lookup.handler(namespace, name));
  skipped.push(...expansion.skipped);
  for (const [name, handler] of expansion.handlers) {
    const why = notRunnable(handler);
    if (why !== null) skipped.push({ skipped: `handler ${name}`, why });
    else
      workflows.push({
        pipeline: implicitPipelineName,
        name,
        filters: handler.filters ?? [],
        mutator: handler.mutator || 'json',
        handler,
        ...clientGate(event, handler, false),
      });
  }
};
