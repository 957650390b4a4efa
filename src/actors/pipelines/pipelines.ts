// The pipelines as the actor world uses them: an event goes in, its workflows run behind a bounded number of workers, and
// a trace comes back. Filters run in one sandbox, JavaScript mutators in another, handlers behind their circuits; commands
// are started by a helper process, since a fork of a large process would hold up the loop.
import { setMaxListeners } from 'node:events';
import { needsDelivery } from '../../machines/check/delivery-rule.ts';
import type { Event } from '../../model/event/event.ts';
import { CommandHelper } from '../../pipeline/commands/command-helper.ts';
import { filterLimits, mutatorLimits } from '../../pipeline/limits.ts';
import type {
  HandlerGate,
  LoadAssets,
  PipelineDeps,
  ResolveSecrets,
  ResourceLookup,
} from '../../pipeline/ports.ts';
import { runPipelines } from '../../pipeline/run.ts';
import type { ExpressionRunner } from '../../pipeline/sandbox/protocol.ts';
import { Sandbox } from '../../pipeline/sandbox/sandbox.ts';
import type { Span } from '../../pipeline/span.ts';
import type { Trace } from '../../pipeline/trace.ts';
import { deniedTrace, unroutedTrace } from '../../pipeline/undelivered.ts';
import { Deliveries } from './deliveries.ts';
import { StepTimes } from './step-times.ts';

export interface PipelinesPorts {
  readonly lookup: ResourceLookup;
  readonly resolveSecrets: ResolveSecrets;
  readonly gate: HandlerGate;
  readonly loadAssets: LoadAssets;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: () => number;
  readonly after: (delayMs: number, fire: () => void) => void;
  readonly workers: number;
  /** Default: the pipelines of the room `pipeline`. */
  readonly run?: ((event: Event, previous: Trace | undefined) => Promise<Trace>) | undefined;
  /** Begins a span for a run of the pipelines; absent: no tracing. */
  readonly deliverySpan?: ((event: Event) => Span) | undefined;
  readonly onTrace: (event: Event, trace: Trace) => void;
  readonly onFault: (error: unknown, event: Event) => void;
}

export interface Pipelines {
  readonly deliveries: Deliveries;
  /** The trace of an event that names nobody who can be told; undefined when somebody can, or when it names nobody. */
  readonly unrouted: (event: Event) => Trace | undefined;
  /** The trace of a merged event that built-in filters deny to everybody; undefined when it has to be delivered to find out. */
  readonly denied: (event: Event) => Trace | undefined;
  /** The sandbox of filter expressions, for others who judge by them. */
  readonly expressions: ExpressionRunner & { readonly waiting: number };
  /** How long steps took and how handlers ended, since the start. */
  readonly stepTimes: Pick<StepTimes, 'read'>;
  /** Waits for what runs, at most `withinMs`; what still runs then is ended with its process group. */
  close(withinMs: number): Promise<void>;
}

const runTraced = async (
  event: Event,
  deps: PipelineDeps,
  previous: Trace | undefined,
  span: Span,
): Promise<Trace> => {
  let error: string | undefined = 'an unexpected error';
  let summary = '';
  try {
    const trace = await runPipelines(event, { ...deps, span }, previous);
    error = trace.retry ? 'an outage: it is tried again' : undefined;
    summary = trace.summary;
    return trace;
  } finally {
    span.end({ 'mon.summary': summary }, error);
  }
};

export const createPipelines = (ports: PipelinesPorts): Pipelines => {
  const filters = new Sandbox(filterLimits);
  const mutators = new Sandbox(mutatorLimits);
  const stopping = new AbortController();
  // Every running command listens to it: their number is bounded by the workers, not by Node's guess of a leak.
  setMaxListeners(0, stopping.signal);
  const { lookup, resolveSecrets, gate, loadAssets, env, nowMs } = ports;
  const commands = new CommandHelper();
  const deps = {
    lookup,
    filters,
    mutators,
    resolveSecrets,
    gate,
    loadAssets,
    env,
    nowMs,
    commands,
    signal: stopping.signal,
  };
  const stepTimes = new StepTimes();
  const runOnce =
    ports.run ??
    ((event: Event, previous: Trace | undefined) =>
      ports.deliverySpan === undefined
        ? runPipelines(event, deps, previous)
        : runTraced(event, deps, previous, ports.deliverySpan(event)));
  const deliveries = new Deliveries({
    workers: ports.workers,
    after: ports.after,
    run: async (event, previous) => {
      const trace = await runOnce(event, previous);
      stepTimes.note(trace, previous);
      return trace;
    },
    onTrace: ports.onTrace,
    onFault: ports.onFault,
  });
  const noteTrace =
    (traceOf: typeof unroutedTrace) =>
    (event: Event): Trace | undefined => {
      if (ports.run !== undefined || !needsDelivery(event)) return undefined;
      const trace = traceOf(event, lookup, nowMs());
      if (trace !== undefined) ports.onTrace(event, trace);
      return trace;
    };
  return {
    deliveries,
    unrouted: noteTrace(unroutedTrace),
    denied: noteTrace(deniedTrace),
    expressions: filters,
    stepTimes,
    async close(withinMs) {
      const late = new Promise<void>((resolve) => ports.after(withinMs, resolve));
      await Promise.race([deliveries.drained(), late]);
      stopping.abort();
      await Promise.all([filters.close(), mutators.close(), commands.close()]);
    },
  };
};
