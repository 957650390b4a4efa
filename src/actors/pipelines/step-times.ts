// How long filters, mutators and handlers take, and how handlers end, by name: for metrics. Users name these, so that the number
// of names is limited; those beyond it are counted together as `other`.
import type { HandlerOutcome, Trace, WorkflowTrace } from '../../pipeline/trace.ts';
import { Histogram, type HistogramFigures } from '../runtime/load/histogram.ts';
import { maxMeasuredSteps } from './limits.ts';

export interface StepName {
  readonly step: 'filter' | 'mutator' | 'handler';
  /** Of a handler, such as `pipe`; empty for the others. */
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
}

export interface StepFigures extends StepName {
  readonly seconds: HistogramFigures;
  /** Of a handler: runs by outcome. */
  readonly outcomes: ReadonlyMap<HandlerOutcome, number>;
}

interface Measured extends StepName {
  readonly seconds: Histogram;
  readonly outcomes: Map<HandlerOutcome, number>;
}

const other = 'other';

export class StepTimes {
  readonly #steps = new Map<string, Measured>();
  #named = 0;

  /** Counts the workflows of one run. Those copied from an earlier run of the same delivery were counted then. */
  note({ event, workflows }: Trace, previous: Trace | undefined): void {
    for (const workflow of workflows)
      if (previous?.workflows.includes(workflow) !== true) this.#noteWorkflow(workflow, event.namespace);
  }

  read(): readonly StepFigures[] {
    return [...this.#steps.values()].map((step) => ({ ...step, seconds: step.seconds.read() }));
  }

  #noteWorkflow({ filters, mutator, handler }: WorkflowTrace, namespace: string): void {
    for (const { name, durationMs } of filters)
      this.#of({ step: 'filter', type: '', namespace, name }).seconds.observe(durationMs / 1_000);
    if (mutator !== undefined)
      this.#of({ step: 'mutator', type: '', namespace, name: mutator.name }).seconds.observe(
        mutator.durationMs / 1_000,
      );
    if (handler === undefined) return;
    const { type, name, outcome, durationMs } = handler;
    const { seconds, outcomes } = this.#of({ step: 'handler', type, namespace, name });
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (outcome !== 'skipped') seconds.observe(durationMs / 1_000);
  }

  #of(step: StepName): Measured {
    const known = this.#steps.get(keyOf(step));
    if (known !== undefined) return known;
    const isNamed = this.#named < maxMeasuredSteps;
    if (!isNamed && step.name !== other) return this.#of({ ...step, namespace: other, name: other });
    if (isNamed) this.#named += 1;
    const measured = { ...step, seconds: new Histogram(), outcomes: new Map<HandlerOutcome, number>() };
    this.#steps.set(keyOf(step), measured);
    return measured;
  }
}

/** Names hold no slashes. */
const keyOf = ({ step, type, namespace, name }: StepName): string => `${step}/${type}/${namespace}/${name}`;
