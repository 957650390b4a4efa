// The executor of statecharts: a message goes through a machine by its plan where that covers the step, and by XState
// otherwise. Observers get the same microsteps either way, so watching an actor does not change how it runs.
import type {
  ActorLogic,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  EventObject,
  Snapshot,
} from 'xstate';
import { maxMicrosteps } from '../limits.ts';
import { activeIn, type Chart, chartOf } from './chart.ts';
import { decideOf, withDecision } from './decision.ts';
import { enteredBy, historiesOf, leftBy, withoutConflicts } from './moves.ts';
import { nameOfAction } from './names.ts';
import { type Microstep, plannedStepOf } from './step.ts';
import { limitMicrosteps, type NotedMicrostep, notingScope } from './xstate-internals.ts';

export type Scope = Parameters<ActorLogic<Snapshot<unknown>, AnyEventObject>['transition']>[2];

export type { Microstep } from './step.ts';

export interface Executor {
  /**
   * `collect` is given what the actions emit when the plan takes the step; XState emits through the scope. `note` is told
   * of each microstep. Throws what guards and actions throw.
   */
  advance(
    snapshot: AnyMachineSnapshot,
    event: EventObject,
    scope: Scope,
    collect: (effect: EventObject) => void,
    note?: (step: Microstep) => void,
  ): AnyMachineSnapshot;
}

/** In words of the chart. XState names all transitions it selected, also those that lost a conflict. */
const microstepOf = (chart: Chart, before: AnyMachineSnapshot, step: NotedMicrostep): Microstep => {
  const lines = step.transitions.flatMap((ref) => chart.lineOf(ref) ?? []);
  const active = activeIn(chart, before);
  return {
    lines: withoutConflicts(chart, lines, active, historiesOf(before)),
    snapshot: step.snapshot,
  };
};

export const executorOf = (machine: AnyStateMachine): Executor => {
  const takePlannedStep = plannedStepOf(machine);
  const decide = decideOf(machine);
  limitMicrosteps(machine, maxMicrosteps);
  const byXState = (
    snapshot: AnyMachineSnapshot,
    event: EventObject,
    scope: Scope,
    note: ((step: Microstep) => void) | undefined,
  ): AnyMachineSnapshot => {
    if (note === undefined) return machine.transition(snapshot, event, scope as never) as AnyMachineSnapshot;
    const chart = chartOf(machine);
    let before = snapshot;
    const noting = notingScope(scope, (step) => {
      note(microstepOf(chart, before, step));
      before = step.snapshot;
    });
    return machine.transition(snapshot, event, noting as never) as AnyMachineSnapshot;
  };
  return {
    advance(snapshot, told, scope, collect, note) {
      const event =
        decide === undefined || told.type.startsWith('xstate.')
          ? told
          : withDecision(decide, snapshot.context, told);
      const step = takePlannedStep(snapshot, event, note);
      if (step === undefined) return byXState(snapshot, event, scope, note);
      for (const effect of step.emitted) collect(effect);
      return step.snapshot;
    },
  };
};

const executors = new WeakMap<AnyStateMachine, Executor>();

/** One executor for each machine, however many actors run it. */
export const sharedExecutorOf = (machine: AnyStateMachine): Executor => {
  const known = executors.get(machine);
  if (known !== undefined) return known;
  const executor = executorOf(machine);
  executors.set(machine, executor);
  return executor;
};

/** Names, in the order in which they ran: of states left, of transitions, of states entered, step by step. */
export const actionsOf = (
  machine: AnyStateMachine,
  before: AnyMachineSnapshot,
  steps: readonly Microstep[],
): string[] => {
  const chart = chartOf(machine);
  const names: string[] = [];
  let from = before;
  for (const { lines, snapshot } of steps) {
    const active = activeIn(chart, from);
    const left = new Set(lines.flatMap((line) => leftBy(chart, line, active, historiesOf(from))));
    for (const { ref } of [...left].sort((one, other) => other.order - one.order))
      names.push(...ref.exit.map(nameOfAction));
    for (const { ref } of lines) names.push(...ref.actions.map(nameOfAction));
    // History states lead back to what was left in the same step, too.
    for (const { ref } of enteredBy(chart, lines, historiesOf(snapshot)))
      names.push(...ref.entry.map(nameOfAction));
    from = snapshot;
  }
  return names;
};
