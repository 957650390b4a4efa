// The pipelines of a backend: its definitions, secrets, circuits and assets behind one door.
import { eventNamespace } from '../../model/event/event.ts';
import { silencedFilterName } from '../../pipeline/built-in-filters.ts';
import { noAssets } from '../../pipeline/ports.ts';
import type { Trace } from '../../pipeline/trace.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { circuitFamily } from '../families/circuit/circuit-family.ts';
import { createCircuits } from '../families/circuit/circuits.ts';
import { createPipelines, type Pipelines } from '../pipelines/pipelines.ts';
import { createRuntimeAssets } from '../pipelines/runtime-assets.ts';
import { logTrace } from '../pipelines/trace-log.ts';
import type { Configuration } from '../resources/configuration.ts';
import type { Dependencies } from './dependencies.ts';

/** Whether a handler would have been told, had nobody silenced the event. */
const isSuppressed = ({ workflows }: Trace): boolean =>
  workflows.some(({ filters }) =>
    filters.some(({ name, verdict }) => name === silencedFilterName && verdict === 'denied'),
  );

export const composePipelines = (
  { runtime, families, table, log, env, assets, deliveryWorkers, runPipelines, spans }: Dependencies,
  configuration: Configuration,
  secrets: Secrets,
  suppressed: (namespace: string, silences: readonly string[]) => void,
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
    deliverySpan: spans?.delivery,
    onTrace: (event, trace) => {
      logTrace(log, event, trace);
      if (isSuppressed(trace)) suppressed(eventNamespace(event), event.check?.silenced ?? []);
    },
    onFault: (error) => runtime.faults.report('a delivery', error),
  });
};
