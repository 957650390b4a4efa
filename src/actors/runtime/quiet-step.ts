// A quiet step: a message that changes the context of a machine and no state, or moves from one leaf to its neighbour where
// nothing happens on the way, as results and deliveries of a check do. XState pays for any step with a dozen sets of state
// nodes, to find that out; a quiet step asks the same guards in the same order and calls the same actions, from a plan
// made once (figures: docs/machines.md). Whatever is not plainly quiet is left to XState, and a property holds the two
// ways to the same answer.
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine, EventObject, StateValue } from 'xstate';
import {
  type Candidate,
  type Facts,
  type Move,
  type QuietAction,
  type QuietNode,
  quietPlanOf,
} from './quiet-plan.ts';

export interface QuietStep {
  readonly snapshot: AnyMachineSnapshot;
  /** What the actions emitted, in order. */
  readonly emitted: readonly EventObject[];
}

/** Undefined when XState has to take this step: nothing has happened then. Throws what actions throw. */
export type TakeQuietStep = (snapshot: AnyMachineSnapshot, event: AnyEventObject) => QuietStep | undefined;

/** Somebody asked for more than a quiet step has. */
const needsXState = Symbol('needs XState');

/** Actions may ask XState for their actor, its system, or a child, too: such a step is not quiet. */
class OnlyFacts implements Facts {
  readonly context: object;
  readonly event: EventObject;
  constructor(context: object, event: EventObject) {
    this.context = context;
    this.event = event;
  }
  get self(): never {
    throw needsXState;
  }
  get system(): never {
    throw needsXState;
  }
  get spawn(): never {
    throw needsXState;
  }
}

const enabledIn = (node: QuietNode, facts: Facts): Candidate | undefined => {
  for (const candidate of node.on.get(facts.event.type) ?? []) {
    if (candidate.holds === undefined || candidate.holds(facts)) return candidate;
  }
  return undefined;
};

/** Puts the transitions taken into `taken`, inner states before outer ones; true when there was one. */
const select = (node: QuietNode, value: StateValue, facts: Facts, taken: Candidate[]): boolean => {
  let found = false;
  if (typeof value === 'string') {
    const leaf = node.states[value];
    const own = leaf && enabledIn(leaf, facts);
    if (own !== undefined) found = taken.push(own) > 0;
  } else {
    for (const key in value) {
      const state = node.states[key];
      if (state !== undefined && select(state, value[key] as StateValue, facts, taken)) found = true;
    }
  }
  const outer = found ? undefined : enabledIn(node, facts);
  return found || (outer !== undefined && taken.push(outer) > 0);
};

/** As `{...context, ...update}`, which the engine does key by key, off its fast path. */
const updated = (context: object, update: object): object => {
  const next: Record<string, unknown> = { ...context };
  for (const key in update) next[key] = (update as Record<string, unknown>)[key];
  return next;
};

const valueAfter = (value: StateValue, path: readonly string[], key: string): StateValue => {
  const [outer, ...inner] = path;
  if (outer === undefined || typeof value === 'string') return key;
  return { ...value, [outer]: valueAfter(value[outer] as StateValue, inner, key) };
};

const moved = (snapshot: AnyMachineSnapshot, { path, from, to }: Move): AnyMachineSnapshot => ({
  ...snapshot,
  value: valueAfter(snapshot.value, path, to.key),
  _nodes: snapshot._nodes.map((node) => (node === from ? to : node)),
});

const act = (snapshot: AnyMachineSnapshot, event: EventObject, taken: readonly Candidate[]): QuietStep => {
  const emitted: EventObject[] = [];
  let { context } = snapshot;
  let after = snapshot;
  for (const { actions, move } of taken) {
    if (move !== undefined) after = moved(after, move);
    for (const action of actions as readonly QuietAction[]) {
      const facts = new OnlyFacts(context, event);
      if (action.type === 'assign') context = updated(context, action.assign(facts));
      else emitted.push(typeof action.emit === 'function' ? action.emit(facts) : action.emit);
    }
  }
  return { snapshot: { ...after, context }, emitted };
};

const takeStep = (
  plan: QuietNode,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): QuietStep | undefined => {
  const taken: Candidate[] = [];
  try {
    select(plan, snapshot.value, { context: snapshot.context, event }, taken);
  } catch {
    // A guard threw. They change nothing: XState asks it again, and says which it was and where.
    return undefined;
  }
  for (const { actions } of taken) if (actions === null) return undefined;
  return taken.length === 0 ? { snapshot, emitted: [] } : act(snapshot, event, taken);
};

const leftToXState: TakeQuietStep = () => undefined;

export const quietStepOf = (machine: AnyStateMachine): TakeQuietStep => {
  const plan = quietPlanOf(machine);
  if (plan === undefined) return leftToXState;
  return (snapshot, event) => {
    // XState's own messages (`xstate.stop`) do more than their transitions say.
    if (snapshot.status !== 'active' || event.type.startsWith('xstate.')) return undefined;
    try {
      return takeStep(plan, snapshot, event);
    } catch (thrown) {
      if (thrown === needsXState) return undefined;
      throw thrown;
    }
  };
};
