// A machine as quiet steps read it (quiet-step.ts): its tree of states with, for each message, the guards to ask and what
// the transition does, looked up once instead of with every message. It is made from the machine's definition and says
// nothing that the definition does not; what it cannot say in these few words, XState does.
import type { AnyStateMachine, AnyStateNode, EventObject } from 'xstate';

/** What guards and actions are given. */
export interface Facts {
  readonly context: object;
  readonly event: EventObject;
}

/** The kinds of action that touch nothing but the context and the list of effects. */
export type QuietAction =
  | { readonly type: 'assign'; readonly assign: (facts: Facts) => object }
  | { readonly type: 'emit'; readonly emit: EventObject | ((facts: Facts) => EventObject) };

export interface Candidate {
  readonly holds: ((facts: Facts) => boolean) | undefined;
  /** Null when it leads to another state or does something of another kind. */
  readonly actions: readonly QuietAction[] | null;
}

export interface QuietNode {
  /** None has no states of its own, one at a time is active in a compound node, all are in a parallel one. */
  readonly states: Readonly<Record<string, QuietNode>>;
  /** By type of message, in the order in which they are asked. */
  readonly on: ReadonlyMap<string, readonly Candidate[]>;
}

/** Thrown while a plan is made, by what only XState can do. */
class Unplannable extends Error {}

/** What `assign()` and `emit()` of XState leave on the function they return. */
interface Builtin {
  readonly type?: string;
  readonly assignment?: unknown;
  readonly event?: Extract<QuietAction, { type: 'emit' }>['emit'];
}

type Transition = ReturnType<AnyStateMachine['getTransitionData']>[number];

/** Named without parameters; one that combines others (`and`, `not`) is asked by XState. */
const guardOf = (machine: AnyStateMachine, guard: unknown): Candidate['holds'] => {
  if (guard === undefined) return undefined;
  const body = typeof guard === 'string' ? machine.implementations.guards[guard] : undefined;
  if (typeof body !== 'function' || 'check' in body) throw new Unplannable();
  return body as unknown as Candidate['holds'];
};

/** Null for any other kind, and for one with parameters. */
const actionOf = (machine: AnyStateMachine, action: unknown): QuietAction | null => {
  if (typeof action !== 'string') return null;
  const { type, assignment, event } = (machine.implementations.actions[action] ?? {}) as Builtin;
  if (type === 'xstate.assign' && typeof assignment === 'function') {
    return { type: 'assign', assign: assignment as (facts: Facts) => object };
  }
  return type === 'xstate.emit' && event !== undefined ? { type: 'emit', emit: event } : null;
};

const candidateOf = (machine: AnyStateMachine, { guard, target, actions }: Transition): Candidate => {
  const known = actions.map((action) => actionOf(machine, action));
  const isQuiet = target === undefined && !known.includes(null);
  return { holds: guardOf(machine, guard), actions: isQuiet ? (known as QuietAction[]) : null };
};

const nodeOf = (machine: AnyStateMachine, node: AnyStateNode): QuietNode => {
  // Eventless transitions could follow any step, and a wildcard may be the answer to any message.
  if ((node.always?.length ?? 0) > 0) throw new Unplannable();
  const on = [...node.transitions].map(([type, transitions]) => {
    if (type.includes('*')) throw new Unplannable();
    return [type, transitions.map((transition) => candidateOf(machine, transition))] as const;
  });
  const states = Object.entries(node.states).map(([key, state]) => [key, nodeOf(machine, state)] as const);
  return { states: Object.fromEntries(states), on: new Map(on) };
};

/** Undefined for a machine whose every step is left to XState. */
export const quietPlanOf = (machine: AnyStateMachine): QuietNode | undefined => {
  try {
    return nodeOf(machine, machine.root);
  } catch (thrown) {
    if (thrown instanceof Unplannable) return undefined;
    throw thrown;
  }
};
