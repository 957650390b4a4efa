// Pipelines: named workflows of filters, a mutator and a handler.
import { z } from 'zod';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault } from '../resource/names.ts';
import { flag, list, text } from '../schema/quick-types.ts';

/** A reference with a mandatory type, since the three places would need different defaults. */
const workflowReferenceSchema = z.object({
  name: text('').describe('Name of the resource.'),
  type: text('').describe('Its type, such as EventFilter, Mutator or Handler.'),
  api_version: text('').describe('Its API version, such as core/v2.'),
});
export type WorkflowReference = z.infer<typeof workflowReferenceSchema>;

const workflowSchema = z.object({
  name: text('').describe('Name of the workflow.'),
  filters: list(workflowReferenceSchema).nullish().describe('Filters that events pass first.'),
  mutator: workflowReferenceSchema.nullish().describe('Mutator that changes what the handler gets.'),
  handler: workflowReferenceSchema.nullish().describe('Handler that the events go to.'),
});
type Workflow = z.infer<typeof workflowSchema>;

export const pipelineSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  workflows: list(workflowSchema)
    .nullish()
    .transform((workflows) => workflows ?? [])
    .describe('Workflows, run one after the other.'),
  /** Continue with the next workflow after a failure. */
  continue_on_error: flag().optional().describe('Whether workflows go on after one that failed.'),
});
export type Pipeline = z.infer<typeof pipelineSchema>;

type Deed = 'filtering' | 'mutating' | 'handling';

const capable: Readonly<Record<Deed, readonly string[]>> = {
  filtering: ['core/v2.EventFilter'],
  mutating: ['core/v2.Mutator'],
  // The last two are accepted so that dumps of the reference product can be loaded. Their workflows are skipped
  // with a warning.
  handling: ['core/v2.Handler', 'pipeline/v1.TCPStreamHandler', 'pipeline/v1.SumoLogicMetricsHandler'],
};

/** Whether this kind of handler is supported. */
export const isHandlerKind = ({ api_version: version, type }: WorkflowReference): boolean =>
  version === 'core/v2' && type === 'Handler';

const referenceFault = (part: string, reference: WorkflowReference, deed: Deed): string | null => {
  const name = nameFault('name', reference.name);
  if (name !== null) return `workflow ${part} ${name}`;
  if (reference.type === '') return `workflow ${part} type must be set`;
  if (reference.api_version === '') return `workflow ${part} api_version must be set`;
  const type = `${reference.api_version}.${reference.type}`;
  if (capable[deed].includes(type)) return null;
  return `workflow ${part} resource type not capable of ${deed} events: ${type}`;
};

const workflowFault = (workflow: Workflow): string | null => {
  const name = nameFault('workflow name', workflow.name);
  if (name !== null) return name;
  for (const filter of workflow.filters ?? []) {
    const why = referenceFault('filter', filter, 'filtering');
    if (why !== null) return why;
  }
  const mutator = workflow.mutator ? referenceFault('mutator', workflow.mutator, 'mutating') : null;
  if (mutator !== null) return mutator;
  return workflow.handler
    ? referenceFault('handler', workflow.handler, 'handling')
    : 'workflow handler must be set';
};

export const validatePipeline = (pipeline: Pipeline): string | null => {
  const broken = nameFault('name', pipeline.metadata.name) ?? namespaceFault(pipeline.metadata.namespace);
  if (broken !== null) return broken;
  for (const workflow of pipeline.workflows) {
    const why = workflowFault(workflow);
    if (why !== null) return why;
  }
  return null;
};
