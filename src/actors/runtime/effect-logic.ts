// A machine as the runtime runs it: what it emits is collected instead of dispatched, so that effects are performed
// after the transition, in order, and not at all when the transition throws.
import type {
  ActorLogic,
  AnyActor,
  AnyActorRef,
  AnyEventObject,
  AnyStateMachine,
  AnyTransitionDefinition,
  EventObject,
  InspectionEvent,
  Snapshot,
} from 'xstate';
import { quietStepOf } from './quiet-step.ts';

export interface Effect {
  readonly type: string;
}

export type EffectLogic = ActorLogic<Snapshot<unknown>, AnyEventObject>;

type Scope = Parameters<EffectLogic['transition']>[2];

// Transitions never nest (every send goes through the run queue), so one list serves all actors of the process.
let collected: Effect[] = [];
const none: readonly Effect[] = [];

const collect = (effect: EventObject): void => {
  collected.push(effect);
};

/** What was emitted since the last call, in order. */
export const takeEffects = (): readonly Effect[] => {
  if (collected.length === 0) return none;
  const taken = collected;
  collected = [];
  return taken;
};

/** One microstep: the transitions taken together, and where they led. */
export interface Step {
  readonly transitions: readonly AnyTransitionDefinition[];
  readonly snapshot: unknown;
}

/** Where the microsteps of the transition under way are noted, when somebody watches its actor. */
let observed: Step[] | undefined;

/** Sends and tells the microsteps of it. Every step is XState's own: it cannot see a quiet one (quiet-step.ts). */
export const sendObserved = (actor: AnyActor, message: EventObject): readonly Step[] => {
  const steps: Step[] = [];
  observed = steps;
  try {
    actor.send(message);
  } finally {
    observed = undefined;
  }
  return steps;
};

/**
 * The scope of a transition whose microsteps are noted. Those who inspect a system are told of every actor in it, and every
 * actor in it pays: here only this transition is told of, since only it sees a system that somebody inspects.
 */
const notingIn = (steps: Step[], scope: Scope): Scope => {
  const _sendInspectionEvent = (event: InspectionEvent): void => {
    if (event.type === '@xstate.microstep')
      steps.push({ transitions: event._transitions, snapshot: event.snapshot });
  };
  const system = Object.assign(Object.create(scope.system), { _sendInspectionEvent });
  return Object.assign(Object.create(scope), { system });
};

const logics = new WeakMap<AnyStateMachine, EffectLogic>();

/** One logic for each machine, however many actors run it. */
export const effectLogic = (machine: AnyStateMachine): EffectLogic => {
  const known = logics.get(machine);
  if (known !== undefined) return known;
  refuseInvokes(machine);
  const logic = adapt(machine);
  logics.set(machine, logic);
  return logic;
};

const adapt = (machine: AnyStateMachine): EffectLogic => {
  const takeQuietStep = quietStepOf(machine);
  return {
    config: machine.config,
    getInitialSnapshot(scope, input) {
      scope.emit = collect;
      return machine.getInitialSnapshot(scope as never, input as never);
    },
    restoreSnapshot(snapshot, scope) {
      scope.emit = collect;
      return machine.restoreSnapshot(complete(snapshot) as never, scope as never);
    },
    transition(snapshot, event, scope) {
      try {
        if (observed !== undefined)
          return machine.transition(snapshot as never, event, notingIn(observed, scope) as never);
        const step = takeQuietStep(snapshot as never, event);
        if (step === undefined) return machine.transition(snapshot as never, event, scope as never);
        collected.push(...step.emitted);
        return step.snapshot;
      } catch (error) {
        stopOrphans(snapshot, scope);
        throw error;
      }
    },
    getPersistedSnapshot: (snapshot) => machine.getPersistedSnapshot(snapshot as never),
  };
};

/** Our records hold `{value, context}`; XState wants to see its other fields, too. */
const complete = (snapshot: Snapshot<unknown>): object => ({
  children: {},
  historyValue: {},
  ...snapshot,
});

/** XState leaves the children of a machine that throws running: they are stopped here. */
const stopOrphans = (snapshot: Snapshot<unknown>, scope: Scope): void => {
  const children = (snapshot as { children?: Record<string, AnyActorRef> }).children ?? {};
  for (const child of Object.values(children)) scope.stopChild(child);
};

interface StateNodeLike {
  readonly id: string;
  readonly invoke: readonly unknown[];
  readonly states: Record<string, StateNodeLike>;
}

/** A supervised machine asks for effects; what it invoked would live outside supervision and run again on restore. */
const refuseInvokes = (machine: AnyStateMachine): void => {
  const visit = (node: StateNodeLike): void => {
    if (node.invoke.length > 0) {
      throw new TypeError(
        `state ${node.id} invokes an actor: emit an effect and let the behaviour perform it`,
      );
    }
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root as unknown as StateNodeLike);
};
