// A machine as the runtime runs it: what it emits is collected instead of dispatched, so that effects are performed
// after the transition, in order, and not at all when the transition throws.
import type {
  ActorLogic,
  AnyActor,
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  EventObject,
  Snapshot,
} from 'xstate';
import { chartOf } from '../statechart/chart.ts';
import { type Microstep, type Scope, sharedExecutorOf } from '../statechart/executor.ts';

export interface Effect {
  readonly type: string;
}

export type EffectLogic = ActorLogic<Snapshot<unknown>, AnyEventObject>;

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

/** Where the microsteps of the transition under way are noted, when somebody watches its actor. */
let observed: Microstep[] | undefined;

/** Sends and tells the microsteps of it. */
export const sendObserved = (actor: AnyActor, message: EventObject): readonly Microstep[] => {
  const steps: Microstep[] = [];
  observed = steps;
  try {
    actor.send(message);
  } finally {
    observed = undefined;
  }
  return steps;
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
  const executor = sharedExecutorOf(machine);
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
        const steps = observed;
        const note = steps === undefined ? undefined : (step: Microstep): void => void steps.push(step);
        return executor.advance(snapshot as AnyMachineSnapshot, event, scope, collect, note);
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

/** A supervised machine asks for effects; what it invoked would live outside supervision and run again on restore. */
const refuseInvokes = (machine: AnyStateMachine): void => {
  const invoking = chartOf(machine).nodes.find(({ ref }) => ref.invoke.length > 0);
  if (invoking === undefined) return;
  throw new TypeError(
    `state ${invoking.ref.id} invokes an actor: emit an effect and let the behaviour perform it`,
  );
};
