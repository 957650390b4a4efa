// One message through a machine by its plan (plan.ts): asks the guards XState would ask, in the same order, and calls the
// same actions, without the sets of state nodes that XState builds to find out which those are (figures:
// docs/machines.md). What the plan does not cover is left to XState, and a property holds the two ways to the same answer.
import type {
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  EventObject,
  StateValue,
} from 'xstate';
import { maxMicrosteps } from '../limits.ts';
import type { ChartNode, Line } from './chart.ts';
import {
  type Move,
  type Plan,
  type PlannedAction,
  type PlannedLine,
  type PlannedNode,
  plannedFor,
  planOf,
} from './plan.ts';
import { activeNodes, type Emitted, enqueueOf, type Facts, movedSnapshot } from './xstate-internals.ts';

/** The transitions taken together, and where they led. */
export interface Microstep {
  readonly lines: readonly Line[];
  readonly snapshot: AnyMachineSnapshot;
}

interface PlannedStep {
  readonly snapshot: AnyMachineSnapshot;
  /** What the actions emitted, in order. */
  readonly emitted: readonly EventObject[];
}

/**
 * Undefined when XState has to take this step: nothing has happened then. Throws what actions throw. `note` is called for each
 * microstep, and not for a step that is left to XState.
 */
export type TakePlannedStep = (
  snapshot: AnyMachineSnapshot,
  event: AnyEventObject,
  note?: (step: Microstep) => void,
) => PlannedStep | undefined;

/** Somebody asked for more than a step of the plan has. */
const needsXState = Symbol('needs XState');

/** Actions may ask XState for their actor, its system, or a child, too: such a step is left to it. */
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
  get check(): never {
    throw needsXState;
  }
}

const leaveToXState = (): never => {
  throw needsXState;
};

const firstThatHolds = (lines: readonly PlannedLine[], facts: Facts): PlannedLine | undefined => {
  for (const line of lines) if (line.holds === undefined || line.holds(facts)) return line;
  return undefined;
};

const enabledIn = (plan: Plan, node: PlannedNode, facts: Facts): PlannedLine | undefined =>
  firstThatHolds(plannedFor(plan, node, facts.event.type), facts);

/** Puts the transitions taken into `taken`, inner states before outer ones; true when there was one. */
const select = (
  plan: Plan,
  node: PlannedNode,
  value: StateValue,
  facts: Facts,
  taken: PlannedLine[],
): boolean => {
  let found = false;
  if (typeof value === 'string') {
    const leaf = node.states[value];
    const own = leaf && enabledIn(plan, leaf, facts);
    if (own !== undefined) found = taken.push(own) > 0;
  } else {
    for (const key in value) {
      const state = node.states[key];
      if (state !== undefined && select(plan, state, value[key] as StateValue, facts, taken)) found = true;
    }
  }
  const outer = found ? undefined : enabledIn(plan, node, facts);
  return found || (outer !== undefined && taken.push(outer) > 0);
};

/** The eventless transitions that follow, from each active leaf upwards the first. */
const selectAlways = (plan: Plan, snapshot: AnyMachineSnapshot, facts: Facts): PlannedLine[] => {
  const taken = new Set<PlannedLine>();
  for (const active of activeNodes(snapshot)) {
    if (active.type !== 'atomic' && active.type !== 'final') continue;
    let found: PlannedLine | undefined;
    let node: ChartNode | undefined = plan.chart.nodeOf(active);
    for (; node !== undefined && found === undefined; node = node.parent)
      found = firstThatHolds((plan.nodes[node.order] as PlannedNode).always, facts);
    if (found !== undefined) taken.add(found);
  }
  return [...taken];
};

/** As `{...context, ...update}`, which the engine does key by key, off its fast path. */
const updated = (context: object, update: object): object => {
  const next: Record<string, unknown> = { ...context };
  for (const key in update) next[key] = (update as Record<string, unknown>)[key];
  return next;
};

const valueAfter = (value: StateValue, path: readonly string[], below: StateValue, at = 0): StateValue => {
  const outer = path[at];
  if (outer === undefined || typeof value === 'string') return below;
  return { ...value, [outer]: valueAfter(value[outer] as StateValue, path, below, at + 1) };
};

const none: readonly Move[] = [];

const isLeftByAny = (node: AnyStateNode, moves: readonly Move[]): boolean => {
  for (const move of moves) if (isLeft(node, move)) return true;
  return false;
};

const isLeft = ({ order }: AnyStateNode, { domain }: Move): boolean =>
  order > domain.order && order <= domain.last;

/** Left and entered again they keep their order, as in XState, and with it the order in which they are asked. */
const nodesAfter = (before: readonly AnyStateNode[], moves: readonly Move[]): readonly AnyStateNode[] => {
  if (moves.length === 0) return before;
  const nodes: AnyStateNode[] = [];
  let isNews = false;
  for (const node of before) if (!isLeftByAny(node, moves)) nodes.push(node);
  for (const { entered } of moves) {
    for (const node of entered) {
      nodes.push(node);
      if (!before.includes(node)) isNews = true;
    }
  }
  return isNews || nodes.length !== before.length ? nodes : before;
};

/** Two that leave the same states are in conflict: XState decides. */
const inConflict = (moves: readonly Move[]): boolean =>
  moves.some(({ domain }, at) =>
    moves
      .slice(0, at)
      .some((other) => domain.order <= other.domain.last && other.domain.order <= domain.last),
  );

const leaveQuietly = (moves: readonly Move[]): boolean => {
  for (const { leavesQuietly } of moves) if (!leavesQuietly) return false;
  return true;
};

/** One message on its way: the context and the effects grow with each action. */
class Run {
  readonly plan: Plan;
  readonly event: EventObject;
  readonly emitted: EventObject[] = [];
  snapshot: AnyMachineSnapshot;
  context: object;

  constructor(plan: Plan, snapshot: AnyMachineSnapshot, event: EventObject) {
    this.plan = plan;
    this.snapshot = snapshot;
    this.context = snapshot.context;
    this.event = event;
  }

  /** False when XState has to take it. */
  take(taken: readonly PlannedLine[]): boolean {
    let moves: readonly Move[] = none;
    for (const { actions, move } of taken) {
      if (actions === null) return false;
      if (move !== undefined) moves = moves === none ? [move] : [...moves, move];
    }
    if (moves.length > 1) {
      if (inConflict(moves)) return false;
      // In document order: so are states entered, whichever region answered first.
      moves = [...moves].sort((one, other) => one.domain.order - other.domain.order);
    }
    if (!leaveQuietly(moves)) this.#leave(moves);
    for (const { actions } of taken) this.#act(actions as readonly PlannedAction[]);
    for (const { entryActions } of moves) this.#act(entryActions);
    this.#go(moves);
    return true;
  }

  /** Exit actions, the innermost state first. */
  #leave(moves: readonly Move[]): void {
    const left = activeNodes(this.snapshot)
      .filter((node) => isLeftByAny(node, moves))
      .sort((one, other) => other.order - one.order);
    for (const { order } of left) this.#act((this.plan.nodes[order] as PlannedNode).exitActions);
  }

  #go(moves: readonly Move[]): void {
    const { snapshot, context } = this;
    const before = activeNodes(snapshot);
    const nodes = nodesAfter(before, moves);
    if (nodes !== before) {
      let { value } = snapshot;
      for (const move of moves) value = valueAfter(value, move.path, move.value);
      this.snapshot = movedSnapshot(snapshot, { value, context, nodes, hasTags: this.plan.hasTags });
    } else if (context !== snapshot.context) this.snapshot = { ...snapshot, context };
  }

  #act(actions: readonly PlannedAction[]): void {
    for (const action of actions) {
      const facts = new OnlyFacts(this.context, this.event);
      if (action.type === 'assign') this.context = updated(this.context, action.assign(facts));
      else if (action.type === 'emit') this.#emit(action.emit, facts);
      else {
        const emit = (emitted: Emitted): void => this.#emit(emitted, facts);
        action.collect(Object.assign(facts, { enqueue: enqueueOf(emit, leaveToXState) }));
      }
    }
  }

  #emit(emitted: Emitted, facts: Facts): void {
    this.emitted.push(typeof emitted === 'function' ? emitted(facts) : emitted);
  }
}

/** A guard that throws changes nothing: XState asks it again, and says which it was and where. */
const selected = (find: () => PlannedLine[]): PlannedLine[] | undefined => {
  try {
    return find();
  } catch {
    return undefined;
  }
};

const takeStep = (
  plan: Plan,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
  note: ((step: Microstep) => void) | undefined,
): PlannedStep | undefined => {
  const taken: PlannedLine[] = [];
  try {
    select(plan, plan.root, snapshot.value, { context: snapshot.context, event }, taken);
  } catch {
    return undefined;
  }
  const run = new Run(plan, snapshot, event);
  if (!run.take(taken)) return undefined;
  if (note === undefined && !plan.hasAlways) return run;
  const noted: Microstep[] = [{ lines: taken.map(({ line }) => line), snapshot: run.snapshot }];
  if (plan.hasAlways && !takeAlways(run, noted)) return undefined;
  if (note !== undefined) for (const step of noted) note(step);
  return run;
};

/** Eventless transitions lead on and on. */
export const noRest = (machine: AnyStateMachine, microsteps: number): Error =>
  new Error(`machine ${machine.id} does not come to rest: over ${microsteps} microsteps for one message`);

/** Eventless transitions, until none is left. False when XState has to take them. */
const takeAlways = (run: Run, noted: Microstep[]): boolean => {
  const { plan, event } = run;
  while (noted.length <= maxMicrosteps) {
    const taken = selected(() => selectAlways(plan, run.snapshot, { context: run.context, event }));
    if (taken === undefined) return false;
    if (taken.length === 0) return true;
    if (!run.take(taken)) return false;
    noted.push({ lines: taken.map(({ line }) => line), snapshot: run.snapshot });
  }
  throw noRest(plan.chart.machine, maxMicrosteps);
};

export const plannedStepOf = (machine: AnyStateMachine): TakePlannedStep => {
  const plan = planOf(machine);
  return (snapshot, event, note) => {
    // XState's own messages (`xstate.stop`) do more than their transitions say.
    if (snapshot.status !== 'active' || event.type.startsWith('xstate.')) return undefined;
    try {
      return takeStep(plan, snapshot, event, note);
    } catch (thrown) {
      if (thrown === needsXState) return undefined;
      throw thrown;
    }
  };
};
