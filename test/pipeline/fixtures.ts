// Events, definitions and dependencies for the tests of this folder.
import { type Event, eventSchema } from '../../src/model/event/event.ts';
import { type EventFilter, eventFilterSchema } from '../../src/model/pipeline/event-filter.ts';
import { type Handler, handlerSchema } from '../../src/model/pipeline/handler.ts';
import { type Mutator, mutatorSchema } from '../../src/model/pipeline/mutator.ts';
import { type Pipeline, pipelineSchema } from '../../src/model/pipeline/pipeline.ts';
import { noAssets, type PipelineDeps, type ResourceLookup } from '../../src/pipeline/ports.ts';
import type { ExpressionRunner, MutatorRunner } from '../../src/pipeline/sandbox/protocol.ts';

type Fields = Record<string, unknown>;

const historyOf = (statuses: readonly number[]): Fields[] =>
  statuses.map((status, index) => ({ status, executed: 1_700_000_000 + index }));

/** A check event of entity `web-01`; `check` and `entity` add to or replace its fields. */
export const checkEvent = (check: Fields = {}, rest: Fields = {}, entity: Fields = {}): Event =>
  eventSchema.parse({
    timestamp: 1_700_000_000,
    id: '3f0c2b1e-8f5f-4b0e-9a39-6f6f5d0a7c11',
    entity: {
      entity_class: 'agent',
      metadata: { name: 'web-01', namespace: 'default', labels: { region: 'eu', api_key: 'canary-label' } },
      subscriptions: ['linux', 'entity:web-01'],
      ...entity,
    },
    check: {
      metadata: { name: 'cpu', namespace: 'default' },
      status: 2,
      output: 'CRITICAL: 99 %',
      occurrences: 3,
      history: historyOf([0, 2, 2]),
      ...check,
    },
    ...rest,
  });

export const metricsEvent = (rest: Fields = {}): Event =>
  eventSchema.parse({
    timestamp: 1_700_000_000,
    entity: { metadata: { name: 'web-01', namespace: 'default' } },
    metrics: {
      handlers: ['influx'],
      points: [{ name: 'load', value: 1.5, timestamp: 1_700_000_000, tags: [] }],
    },
    ...rest,
  });

export const withHistory = (status: number, statuses: readonly number[]): Event =>
  checkEvent({ status, history: historyOf(statuses) });

const metadata = (name: string): Fields => ({ name, namespace: 'default' });

export const handler = (name: string, fields: Fields): Handler =>
  handlerSchema.parse({ metadata: metadata(name), ...fields });
export const mutator = (name: string, fields: Fields): Mutator =>
  mutatorSchema.parse({ metadata: metadata(name), ...fields });
export const filter = (
  name: string,
  action: string,
  expressions: readonly string[],
  fields: Fields = {},
): EventFilter => eventFilterSchema.parse({ metadata: metadata(name), action, expressions, ...fields });
export const pipeline = (name: string, workflows: readonly Fields[]): Pipeline =>
  pipelineSchema.parse({ metadata: metadata(name), workflows });

export const reference = (type: string, name: string): Fields => ({ api_version: 'core/v2', type, name });

interface Definitions {
  readonly handlers?: readonly Handler[];
  readonly filters?: readonly EventFilter[];
  readonly mutators?: readonly Mutator[];
  readonly pipelines?: readonly Pipeline[];
}

/** Finds only in namespace `default`. */
export const lookupOf = (definitions: Definitions): ResourceLookup => {
  const find = <T extends { readonly metadata: { readonly name: string } }>(
    list: readonly T[] | undefined,
  ) => {
    const byName = new Map((list ?? []).map((item) => [item.metadata.name, item]));
    return (namespace: string, name: string): T | undefined =>
      namespace === 'default' ? byName.get(name) : undefined;
  };
  return {
    handler: find(definitions.handlers),
    filter: find(definitions.filters),
    mutator: find(definitions.mutators),
    pipeline: find(definitions.pipelines),
  };
};

const untouched = (): never => {
  throw new Error('this test was not to reach the sandbox');
};

const noSandbox: ExpressionRunner & MutatorRunner = {
  limits: { timeMs: 50, memoryBytes: 16_777_216 },
  evaluate: untouched,
  validateExpression: untouched,
  mutate: untouched,
};

export const nowMs = Date.UTC(2026, 0, 7, 12, 0, 0);

export const depsOf = (definitions: Definitions, rest: Partial<PipelineDeps> = {}): PipelineDeps => ({
  lookup: lookupOf(definitions),
  filters: noSandbox,
  mutators: noSandbox,
  resolveSecrets: async () => [],
  gate: { enter: async () => ({ entered: true, leave: () => {} }) },
  loadAssets: noAssets,
  env: {
    PATH: process.env['PATH'],
    HOME: '/home/mon',
    BACKEND_WORD: 'from the backend',
    MON_BACKEND_STORE_URL: 'mongodb://user:password@store',
  },
  nowMs: () => nowMs,
  ...rest,
});
