// A machine under test: what it emits for each fact, and which of its transitions were ever taken.
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type Snapshot,
} from 'xstate';
import { decided } from '../../src/actors/runtime/statechart/decision.ts';

export interface Transition {
  readonly source: { readonly id: string };
  readonly target: readonly { readonly id: string }[] | undefined;
  readonly eventType: string;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

export interface Live<TFact, TEffect> {
  /** The effects of one fact, in order. */
  send(fact: TFact): TEffect[];
  snapshot(): AnyMachineSnapshot;
  stop(): void;
}

export type Origin = { readonly input: unknown } | { readonly snapshot: Snapshot<unknown> };

export const bring = <TFact extends EventObject, TEffect>(
  machine: AnyStateMachine,
  origin: Origin,
  onTransition: (transition: Transition) => void = () => {},
): Live<TFact, TEffect> => {
  let effects: TEffect[] = [];
  const actor = createActor(machine, {
    ...(origin as { input: never }),
    inspect: (seen) => {
      if (seen.type !== '@xstate.microstep') return;
      for (const transition of seen._transitions as unknown as Transition[]) onTransition(transition);
    },
  });
  actor.on('*', (effect) => effects.push(effect as TEffect));
  actor.subscribe({ error: () => {} });
  actor.start();
  return {
    send(fact) {
      effects = [];
      actor.send(decided(machine, actor.getSnapshot() as AnyMachineSnapshot, fact) as never);
      const snapshot = actor.getSnapshot() as AnyMachineSnapshot;
      if (snapshot.status === 'error') throw snapshot.error;
      return effects;
    },
    snapshot: () => actor.getSnapshot() as AnyMachineSnapshot,
    stop: () => void actor.stop(),
  };
};

interface Node {
  readonly id: string;
  readonly type: string;
  readonly description?: string;
  readonly states: Record<string, Node>;
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[];
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly invoke: readonly unknown[];
  readonly meta?: { readonly events?: Record<string, string> };
}

export const rootOf = (machine: AnyStateMachine): Node => machine.root as unknown as Node;

export const statesOf = (machine: AnyStateMachine): Node[] => {
  const below = (node: Node): Node[] => [node, ...Object.values(node.states).flatMap(below)];
  return below(rootOf(machine));
};

export const transitionsOf = (machine: AnyStateMachine): Transition[] =>
  statesOf(machine).flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);

export const nameOf = ({ source, eventType, guard, target }: Transition): string =>
  `${source.id} on ${eventType}${guard === undefined ? '' : ` if ${String(guard)}`} -> ${target?.map(({ id }) => id).join(', ') ?? '(stays)'}`;
