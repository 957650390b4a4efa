// Plans the workflows of a committed event, and lists names that cannot be resolved. Explicit pipelines come first,
// then one implicit pipeline from check.handlers and metrics.handlers. Pure; mistakes in definitions are returned
// as data.
import { type Event, eventNamespace } from '../model/event/event.ts';
import { type Handler, isRunnableType } from '../model/pipeline/handler.ts';
import type { Pipeline, WorkflowReference } from '../model/pipeline/pipeline.ts';
import { acknowledgedFilterName, maskedFilterName, metricsFilterName } from './built-in-filters.ts';
import { type ClientGate, clientGate } from './client-rules.ts';
import { expandHandlers } from './handler-sets.ts';
import { maxSkippedSteps, maxWorkflowsPerEvent } from './limits.ts';
import type { ResourceLookup } from './ports.ts';
import type { SkippedStep } from './trace.ts';

/** The name of the implicit pipeline in traces and logs. */
export const implicitPipelineName = 'legacy-pipeline';

export interface PlannedWorkflow {
  readonly pipeline: string;
  readonly name: string;
  readonly filters: readonly string[];
  readonly mutator: string;
  readonly handler: Handler;
  /** For events of earlier clients: evaluated before the filters, after the result is merged. */
  readonly gate?: ClientGate;
}

export interface Plan {
  readonly namespace: string;
  readonly workflows: readonly PlannedWorkflow[];
  readonly skipped: readonly SkippedStep[];
}

/**
 * A plan under construction. Entries above the limits are only counted, since an event may name 100,000 handlers
 * that do not exist.
 */
class Draft {
  readonly workflows: PlannedWorkflow[] = [];
  readonly #skipped: SkippedStep[] = [];
  #pastWorkflows = 0;
  #pastSkipped = 0;

  get isFull(): boolean {
    return this.workflows.length >= maxWorkflowsPerEvent;
  }

  add(workflow: PlannedWorkflow): void {
    if (this.isFull) this.#pastWorkflows += 1;
    else this.workflows.push(workflow);
  }

  /** Counts workflows that are skipped without evaluation. */
  pass(count: number): void {
    this.#pastWorkflows += count;
  }

  skip(step: SkippedStep): void {
    if (this.#skipped.length < maxSkippedSteps) this.#skipped.push(step);
    else this.#pastSkipped += 1;
  }

  get skipped(): readonly SkippedStep[] {
    const past = (count: number, why: string): SkippedStep[] =>
      count === 0 ? [] : [{ skipped: `${count} more`, why }];
    return [
      ...this.#skipped,
      ...past(this.#pastSkipped, `only the first ${maxSkippedSteps} are listed`),
      ...past(this.#pastWorkflows, `an event runs at most ${maxWorkflowsPerEvent} workflows and handlers`),
    ];
  }
}

const named = (reference: WorkflowReference): string => `${reference.api_version}.${reference.type}`;

/** Only the pipeline list of the event itself is used; the agent copies a check's pipelines there. */
export const planWorkflows = (event: Event, lookup: ResourceLookup): Plan => {
  const namespace = eventNamespace(event);
  const draft = new Draft();
  for (const reference of event.pipelines ?? []) {
    if (named(reference) !== 'core/v2.Pipeline') {
      const why = `no pipeline adapters were found that support the resource: ${named(reference)} = ${reference.name}`;
      draft.skip({ skipped: `pipeline ${reference.name}`, why });
      continue;
    }
    const pipeline = lookup.pipeline(namespace, reference.name);
    if (pipeline === undefined)
      draft.skip({ skipped: `pipeline ${reference.name}`, why: 'pipeline does not exist' });
    else if (draft.isFull) draft.pass(pipeline.workflows.length);
    else planPipeline(event, pipeline, namespace, lookup, draft);
  }
  planImplicit(event, namespace, lookup, draft);
  return { namespace, workflows: draft.workflows, skipped: draft.skipped };
};

const planPipeline = (
  event: Event,
  pipeline: Pipeline,
  namespace: string,
  lookup: ResourceLookup,
  draft: Draft,
): void => {
  const pipelineName = pipeline.metadata.name;
  if (pipeline.workflows.length === 0)
    draft.skip({ skipped: `pipeline ${pipelineName}`, why: 'pipeline has no workflows' });
  for (const workflow of pipeline.workflows) {
    const why = incapable(workflow.filters ?? [], workflow.mutator, workflow.handler);
    const handler = workflow.handler ? lookup.handler(namespace, workflow.handler.name) : undefined;
    const problem = why ?? (handler === undefined ? missing(workflow.handler?.name) : notRunnable(handler));
    if (problem !== null || handler === undefined) {
      draft.skip({
        skipped: `workflow ${pipelineName}/${workflow.name}`,
        why: problem ?? 'has no handler',
      });
      continue;
    }
    draft.add({
      pipeline: pipelineName,
      name: workflow.name,
      filters: guarded(
        event,
        handler,
        (workflow.filters ?? []).map((filter) => filter.name),
      ),
      mutator: workflow.mutator?.name || 'json',
      handler,
      ...clientGate(event, handler, true),
    });
  }
};

/** The filters that an event needs in front of those of every workflow. */
const guardsOf = ({ check }: Event): readonly string[] => {
  const isMasked = (check?.masked_by?.length ?? 0) > 0 || check?.masking === 'untold';
  if (!isMasked && !check?.acknowledgement) return noGuards;
  return [
    ...(isMasked ? [maskedFilterName] : []),
    ...(check?.acknowledgement ? [acknowledgedFilterName] : []),
  ];
};
const noGuards: readonly string[] = [];

/**
 * The filters of a workflow. Those of masked events and acknowledged incidents go first, unless the workflow is for metrics: a
 * time series must not have a gap because somebody takes care of an incident.
 */
const guarded = (event: Event, handler: Handler, filters: readonly string[]): readonly string[] => {
  const guards = guardsOf(event);
  if (guards.length === 0 || filters.includes(metricsFilterName)) return filters;
  const due = guards.filter(
    (guard) => !filters.includes(guard) && !(guard === maskedFilterName && handler.handle_masked === true),
  );
  return [...due, ...filters];
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

/** Why a handler cannot run, or null. Sets are expanded before, in the implicit pipeline only. */
const notRunnable = (handler: Handler): string | null => {
  const type = handler.type ?? '';
  if (type === '') return 'empty handler type';
  return isRunnableType(type) ? null : `unknown handler type: ${type}`;
};

const planImplicit = (event: Event, namespace: string, lookup: ResourceLookup, draft: Draft): void => {
  const names = [...(event.check?.handlers ?? []), ...(event.metrics?.handlers ?? [])];
  if (names.length === 0) return;
  const expansion = expandHandlers(names, (name) => lookup.handler(namespace, name));
  for (const step of expansion.skipped) draft.skip(step);
  // A handler that gets both alerts and metrics gets every event: a gap in a time series cannot be filled later.
  const forMetrics = expandHandlers(
    guardsOf(event).length > 0 ? (event.metrics?.handlers ?? []) : [],
    (name) => lookup.handler(namespace, name),
  ).handlers;
  for (const [name, handler] of expansion.handlers) {
    const why = notRunnable(handler);
    if (why !== null) draft.skip({ skipped: `handler ${name}`, why });
    else
      draft.add({
        pipeline: implicitPipelineName,
        name,
        filters: forMetrics.has(name)
          ? (handler.filters ?? [])
          : guarded(event, handler, handler.filters ?? []),
        mutator: handler.mutator || 'json',
        handler,
        ...clientGate(event, handler, false),
      });
  }
};
