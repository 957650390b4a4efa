// Event processing: handlers, filters, mutators, pipelines, and the hooks and assets they use.

import { hookConfigSchema, validateHook } from '../check/hook.ts';
import { withoutEmpty } from '../event/wire-shape.ts';
import { eventFilterSchema, validateEventFilter } from '../pipeline/event-filter.ts';
import { handlerSchema, validateHandler } from '../pipeline/handler.ts';
import { mutatorSchema, validateMutator } from '../pipeline/mutator.ts';
import { pipelineSchema, validatePipeline } from '../pipeline/pipeline.ts';
import { assetSchema, validateAsset } from '../resource/asset.ts';
import { defineKind } from '../resource/resource-kind.ts';
import { namespacedAll } from './operations.ts';

export const assetKind = defineKind({
  type: 'Asset',
  path: 'assets',
  summary: 'an archive of programs used by checks, filters, mutators and handlers',
  namespaced: true,
  operations: namespacedAll,
  schema: assetSchema,
  selectorPrefix: 'asset',
  subject: 'asset',
  validate: validateAsset,
  fields: ({ filters }) => ({ filters }),
  optionalKeys: ['url', 'sha512'],
});

export const hookKind = defineKind({
  type: 'HookConfig',
  path: 'hooks',
  summary: 'a command that runs after a check to collect more information',
  namespaced: true,
  operations: namespacedAll,
  schema: hookConfigSchema,
  selectorPrefix: 'hook',
  subject: 'hook',
  validate: validateHook,
});

export const filterKind = defineKind({
  type: 'EventFilter',
  path: 'filters',
  summary: 'selects the events that reach a handler',
  namespaced: true,
  operations: namespacedAll,
  schema: eventFilterSchema,
  selectorPrefix: 'filter',
  subject: 'filter',
  validate: validateEventFilter,
  fields: ({ action, runtime_assets }) => ({ action, runtime_assets }),
  optionalKeys: ['when'],
});

export const mutatorKind = defineKind({
  type: 'Mutator',
  path: 'mutators',
  summary: 'transforms an event for a handler',
  namespaced: true,
  operations: namespacedAll,
  schema: mutatorSchema,
  selectorPrefix: 'mutator',
  subject: 'mutator',
  validate: validateMutator,
  fields: ({ runtime_assets }) => ({ runtime_assets }),
  optionalKeys: ['command', 'eval'],
});

export const handlerKind = defineKind({
  type: 'Handler',
  path: 'handlers',
  summary: 'a destination for events: a command, a socket, or a set of handlers',
  namespaced: true,
  operations: namespacedAll,
  schema: handlerSchema,
  selectorPrefix: 'handler',
  subject: 'handler',
  validate: validateHandler,
  fields: ({ filters, handlers, mutator, type }) => ({ filters, handlers, mutator, type }),
  optionalKeys: ['mutator', 'command', 'socket'],
});

export const pipelineKind = defineKind({
  type: 'Pipeline',
  path: 'pipelines',
  summary: 'named workflows of filters, a mutator and a handler',
  namespaced: true,
  operations: namespacedAll,
  schema: pipelineSchema,
  selectorPrefix: 'pipeline',
  subject: 'pipeline',
  validate: validatePipeline,
  toWire: (pipeline) => ({
    ...withoutEmpty(pipeline, new Set(['continue_on_error'])),
    workflows: pipeline.workflows.map((flow) =>
      withoutEmpty(flow, new Set(['filters', 'mutator', 'handler'])),
    ),
  }),
});
