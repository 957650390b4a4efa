// What happens to events that matter: handlers, what leads to them, and what they run with.
import { assetSchema, validateAsset } from '../asset.ts';
import { eventFilterSchema, validateEventFilter } from '../event-filter.ts';
import { handlerSchema, validateHandler } from '../handler.ts';
import { hookConfigSchema, validateHook } from '../hook.ts';
import { mutatorSchema, validateMutator } from '../mutator.ts';
import { pipelineSchema, validatePipeline } from '../pipeline.ts';
import { defineKind } from '../resource-kind.ts';
import { withoutEmpty } from '../wire-shape.ts';
import { namespacedAll } from './operations.ts';

export const assetKind = defineKind({
  type: 'Asset',
  path: 'assets',
  summary: 'an archive of programs that checks, filters, mutators and handlers run with',
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
  summary: 'a command run after a check for more light on its result',
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
  summary: 'which events reach a handler',
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
  summary: 'what an event is turned into for a handler',
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
  summary: 'where events go: a command, a socket, or a set of handlers',
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
  summary: 'workflows of filters, a mutator and a handler',
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
