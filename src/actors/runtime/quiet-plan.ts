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

/** From one leaf of a compound state to another, where nothing happens on the way out or in. */
export interface Move {
  /** The keys that lead to the compound state in a state value. */
  readonly path: readonly string[];
  readonly from: AnyStateNode;
  readonly to: AnyStateNode;
}

export interface Candidate {
  readonly holds: ((facts: Facts) => boolean) | undefined;
  /** Null when it is more than a move, or does something of another kind. */
  readonly actions: readonly QuietAction[] | null;
  readonly move: Move | undefined;
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

const isPlainLeaf = (node: AnyStateNode): boolean =>
  node.type === 'atomic' && node.entry.length === 0 && node.exit.length === 0 && node.invoke.length === 0;

/** Undefined when it is none: it stays, or it goes elsewhere. */
const moveOf = (from: AnyStateNode, target: AnyStateNode | undefined): Move | undefined => {
  const isSibling = target !== undefined && target !== from && target.parent === from.parent;
  if (!isSibling || !isPlainLeaf(from) || !isPlainLeaf(target)) return undefined;
  return { path: from.path.slice(0, -1), from, to: target };
};

const candidateOf = (
  machine: AnyStateMachine,
  node: AnyStateNode,
  { guard, target, actions }: Transition,
): Candidate => {
  const known = actions.map((action) => actionOf(machine, action));
  const move = target?.length === 1 ? moveOf(node, target[0]) : undefined;
  const isQuiet = (target === undefined || move !== undefined) && !known.includes(null);
  return { holds: guardOf(machine, guard), actions: isQuiet ? (known as QuietAction[]) : null, move };
};

const nodeOf = (machine: AnyStateMachine, node: AnyStateNode): QuietNode => {
  // Eventless transitions could follow any step, and a wildcard may be the answer to any message. States that are
  // remembered or tagged leave traces in a snapshot that are not kept here.
  const isPlain = !node.always?.length && node.type !== 'history' && node.tags.length === 0;
  if (!isPlain) throw new Unplannable();
  const on = [...node.transitions].map(([type, transitions]) => {
    if (type.includes('*')) throw new Unplannable();
    return [type, transitions.map((transition) => candidateOf(machine, node, transition))] as const;
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
