// "What would happen if this event came now", on a live snapshot and by the executor of live actors: nothing is done,
// nothing moves.
import { type AnyEventObject, type AnyMachineSnapshot, type AnyStateMachine, transition } from 'xstate';
import { maxDryRunMicrosteps } from '../limits.ts';
import { type Scope, sharedExecutorOf } from './executor.ts';
import { type Candidate, explain } from './explain.ts';
import { type Microstep, noRest } from './step.ts';

export interface DryRun {
  readonly snapshot: AnyMachineSnapshot;
  /** Every transition the event could take, with what its guard says. */
  readonly candidates: readonly Candidate[];
  /** Ids of the lines it takes, eventless ones that follow included. */
  readonly taken: readonly string[];
  /** The effects the machine would ask for. */
  readonly effects: readonly { readonly type: string }[];
  /** What would be done, in order: effects by their type, other actions by their name. Assigns are not among them. */
  readonly actions: readonly string[];
}

/** What XState tells of an action that it would run. */
interface Runnable {
  readonly type: string;
  readonly params?: unknown;
}

const emittedBy = ({ type, params }: Runnable): AnyEventObject | undefined =>
  type === 'xstate.emit' ? (params as { readonly event: AnyEventObject }).event : undefined;

/** Throws what the machine throws (the actor would crash), and when it takes more than `maxDryRunMicrosteps`. */
export const dryRun = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: AnyEventObject,
): DryRun => {
  const steps: Microstep[] = [];
  const effects: AnyEventObject[] = [];
  const note = (step: Microstep): void => {
    steps.push(step);
    if (steps.length > maxDryRunMicrosteps) throw noRest(machine, maxDryRunMicrosteps);
  };
  const collect = (effect: AnyEventObject): void => void effects.push(effect);
  const executor = sharedExecutorOf(machine);
  const logic = {
    transition: (from: AnyMachineSnapshot, told: AnyEventObject, scope: Scope) =>
      executor.advance(from, told, scope, collect, note),
    getInitialSnapshot: () => snapshot,
    getPersistedSnapshot: (kept: AnyMachineSnapshot) => kept,
  };
  const [next, runnables] = transition(logic, snapshot, event) as unknown as [
    AnyMachineSnapshot,
    readonly Runnable[],
  ];
  effects.push(...runnables.flatMap((runnable) => emittedBy(runnable) ?? []));
  const planned = runnables.length === 0 ? effects.map(({ type }) => type) : [];
  return {
    snapshot: next,
    candidates: explain(machine, snapshot, event),
    taken: steps.flatMap(({ lines }) => lines.map(({ id }) => id)),
    effects,
    actions: [...planned, ...runnables.map((runnable) => emittedBy(runnable)?.type ?? runnable.type)],
  };
};
