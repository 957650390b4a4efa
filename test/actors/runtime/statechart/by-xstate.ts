// What XState itself makes of a message, to hold the plan against.
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  transition,
} from 'xstate';
import { decided } from '../../../../src/actors/runtime/statechart/decision.ts';
import type { Scope } from '../../../../src/actors/runtime/statechart/executor.ts';

/** A scope in which nothing is done. */
export const inertScope = (machine: AnyStateMachine): Scope => {
  const self = createActor(machine);
  const nothing = (): void => {};
  return {
    self,
    system: self.system,
    id: '',
    sessionId: '',
    logger: nothing,
    defer: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: nothing,
  } as unknown as Scope;
};

export interface Seen {
  /** As text: the order of its keys counts, since regions are asked in it. */
  readonly value: string;
  readonly context: unknown;
  /** Active states in the order in which XState keeps them: eventless transitions are asked in it. */
  readonly states: readonly string[];
  readonly tags: readonly string[];
  readonly emitted: readonly unknown[];
}

export const seen = (snapshot: AnyMachineSnapshot, emitted: readonly unknown[]): Seen => ({
  value: JSON.stringify(snapshot.value),
  context: snapshot.context,
  states: snapshot._nodes.map(({ id }) => id),
  tags: [...snapshot.tags],
  emitted,
});

export const byXState = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  told: AnyEventObject,
): { readonly next: AnyMachineSnapshot; readonly seen: Seen } => {
  const [next, actions] = transition(machine, snapshot, decided(machine, snapshot, told));
  const emitted = actions
    .filter(({ type }): boolean => (type as string) === 'xstate.emit')
    .map(({ params }) => (params as unknown as { event: unknown }).event);
  return { next: next as AnyMachineSnapshot, seen: seen(next as AnyMachineSnapshot, emitted) };
};
