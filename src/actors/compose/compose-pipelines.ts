// The pipelines of a backend: its definitions, secrets, circuits and assets behind one door.
import { noAssets } from '../../pipeline/ports.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { circuitFamily } from '../families/circuit/circuit-family.ts';
import { createCircuits } from '../families/circuit/circuits.ts';
import { createPipelines, type Pipelines } from '../pipelines/pipelines.ts';
import { createRuntimeAssets } from '../pipelines/runtime-assets.ts';
import { logTrace } from '../pipelines/trace-log.ts';
import type { Configuration } from '../resources/configuration.ts';
import type { Dependencies } from './dependencies.ts';

export const composePipelines = (
  { runtime, families, table, log, env, assets, deliveryWorkers, runPipelines }: Dependencies,
  configuration: Configuration,
  secrets: Secrets,
): Pipelines => {
  const nowMs = (): number => runtime.clock.wallMs();
  const definition = configuration.asset.bind(configuration);
  return createPipelines({
    lookup: configuration,
    resolveSecrets: secrets.resolve,
    gate: createCircuits({
      actors: families.bind(circuitFamily, { log }),
      nowMs,
      isDefined: ({ namespace, handler }) => table.get('handlers', namespace, handler) !== undefined,
      onDeleted: (listener) =>
        table.watch('handlers', ({ type, namespace, name }) => {
          if (type === 'deleted') listener({ namespace, handler: name });
        }),
      onFault: (error) => runtime.faults.report('the circuit of a deleted handler', error),
    }),
    loadAssets: assets === undefined ? noAssets : createRuntimeAssets({ ...assets, definition, env }),
    env,
    nowMs,
    after: (delayMs, fire) => void runtime.deadlines.after(delayMs, fire),
    workers: deliveryWorkers,
    run: runPipelines,
    onTrace: (event, trace) => logTrace(log, event, trace),
    onFault: (error) => runtime.faults.report('a delivery', error),
  });
};
