// The one file that reads or writes fields XState keeps for itself: the active state nodes of a snapshot, the tree of state
// nodes, what its built-in actions and guards carry, and its inspection of microsteps. Everything else in the runtime
// works with what is returned here; a test fails when a new version of XState has another shape.
import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  EventObject,
  InspectionEvent,
  StateValue,
} from 'xstate';

/** What guards and actions are called with. */
export interface Facts {
  readonly context: object;
  readonly event: EventObject;
}

export const isMachineSnapshot = (snapshot: unknown): snapshot is AnyMachineSnapshot =>
  typeof snapshot === 'object' && snapshot !== null && '_nodes' in snapshot;

/** In the order in which they were entered; XState asks eventless transitions in this order. */
export const activeNodes = (snapshot: AnyMachineSnapshot): readonly AnyStateNode[] => snapshot._nodes;

export interface Moved {
  readonly value: StateValue;
  readonly context: object;
  readonly nodes: readonly AnyStateNode[];
  readonly hasTags: boolean;
}

/** A snapshot in other states. */
export const movedSnapshot = (
  snapshot: AnyMachineSnapshot,
  { value, context, nodes, hasTags }: Moved,
): AnyMachineSnapshot => {
  const moved = { ...snapshot };
  moved.value = value;
  moved.context = context;
  moved._nodes = nodes as AnyStateNode[];
  if (hasTags) moved.tags = new Set(nodes.flatMap(({ tags }) => tags));
  return moved;
};

export const rootOf = (machine: AnyStateMachine): AnyStateNode => machine.root as AnyStateNode;

/** XState goes on for ever by default; a machine that sets a limit of its own keeps it. */
export const limitMicrosteps = (machine: AnyStateMachine, most: number): void => {
  const options = machine.options as { maxIterations?: number };
  if (options.maxIterations === undefined || options.maxIterations === Number.POSITIVE_INFINITY)
    options.maxIterations = most;
};

/** By event type as written (`a.*` and `*`, too), then eventless ones. */
export const writtenTransitions = (
  node: AnyStateNode,
): readonly (readonly [string, readonly AnyTransitionDefinition[]])[] => [
  ...(node.transitions as ReadonlyMap<string, AnyTransitionDefinition[]>),
  ...(node.always === undefined ? [] : [['', node.always as AnyTransitionDefinition[]] as const]),
];

/** The child that a compound state enters first, and whether something is done on that way. */
export const initialOf = (
  node: AnyStateNode,
): { readonly target: AnyStateNode | undefined; readonly hasActions: boolean } => {
  if (node.type !== 'compound') return { target: undefined, hasActions: false };
  return { target: node.initial.target[0], hasActions: node.initial.actions.length > 0 };
};

/** What `assign()`, `emit()` and `enqueueActions()` leave on the function they return. */
interface BuiltinAction {
  readonly type?: unknown;
  readonly assignment?: unknown;
  readonly event?: unknown;
  readonly collect?: unknown;
}

export type BuiltinEffect =
  | { readonly type: 'assign'; readonly assign: (facts: Facts) => object }
  | { readonly type: 'emit'; readonly emit: Emitted }
  /** Emits as often as it likes, or not at all. What else `enqueueActions` may do is refused by `enqueueOf`. */
  | { readonly type: 'enqueue'; readonly collect: (given: Facts & { readonly enqueue: Enqueue }) => void };

/** What `emit()` is given: the event, or what makes it. */
export type Emitted = EventObject | ((facts: Facts) => EventObject);

/** What `enqueueActions` hands to its function, as far as it is known here. */
export type Enqueue = ((action: unknown) => never) & { readonly emit: (emitted: Emitted) => void };

const otherWays = ['assign', 'cancel', 'raise', 'sendTo', 'sendParent', 'spawnChild', 'stopChild'] as const;

/** An `enqueue` that can emit. `refuse` is called for everything else, and throws. */
export const enqueueOf = (emit: (emitted: Emitted) => void, refuse: () => never): Enqueue =>
  Object.assign(() => refuse(), { emit, ...Object.fromEntries(otherWays.map((way) => [way, refuse])) });

/** `assign({a: 1, b: ({event}) => event.b})` as one function. */
const assignerOf = (parts: Readonly<Record<string, unknown>>): ((facts: Facts) => object) => {
  const entries = Object.entries(parts);
  return (facts) =>
    Object.fromEntries(
      entries.map(([key, part]) => [
        key,
        typeof part === 'function' ? (part as (given: Facts) => unknown)(facts) : part,
      ]),
    );
};

/** Undefined for every action but `assign`, `emit` and `enqueueActions`, and for one with parameters. */
export const builtinEffectOf = (machine: AnyStateMachine, action: unknown): BuiltinEffect | undefined => {
  const body = typeof action === 'string' ? machine.implementations.actions[action] : action;
  if (typeof body !== 'function') return undefined;
  const { type, assignment, event, collect } = body as BuiltinAction;
  if (type === 'xstate.assign') {
    if (typeof assignment === 'function') return { type: 'assign', assign: assignment as never };
    return { type: 'assign', assign: assignerOf(assignment as Record<string, unknown>) };
  }
  if (type === 'xstate.enqueueActions' && typeof collect === 'function')
    return { type: 'enqueue', collect: collect as never };
  return type === 'xstate.emit' && event !== undefined ? { type: 'emit', emit: event as never } : undefined;
};

/** A guard as XState resolves it: a function, or one that combines others. */
export type GuardShape =
  | { readonly type: 'and' | 'or' | 'not'; readonly parts: readonly unknown[] }
  | { readonly type: 'function'; readonly ask: (facts: Facts, params: unknown) => unknown }
  /** Needs a whole snapshot: `stateIn`. */
  | { readonly type: 'ofState'; readonly ask: (snapshot: AnyMachineSnapshot, facts: Facts) => boolean };

type GuardFunction = ((facts: Facts, params: unknown) => unknown) & {
  readonly check?: (snapshot: AnyMachineSnapshot, facts: Facts, self: unknown) => boolean;
  readonly guards?: readonly unknown[];
};

export const guardShapeOf = (body: unknown): GuardShape => {
  const { check, guards, name } = body as GuardFunction;
  if (check === undefined) return { type: 'function', ask: body as GuardFunction };
  if (guards !== undefined && (name === 'and' || name === 'or' || name === 'not'))
    return { type: name, parts: guards };
  return { type: 'ofState', ask: (snapshot, facts) => check(snapshot, facts, body) };
};

/** One microstep of XState's: the transitions it selected, and where they led. */
export interface NotedMicrostep {
  readonly transitions: readonly AnyTransitionDefinition[];
  readonly snapshot: AnyMachineSnapshot;
}

/**
 * A scope that tells the microsteps of one transition. Those who inspect a system are told of every actor in it, and every
 * actor in it pays: here only this transition is told of, since only it sees a system that somebody inspects.
 */
export const notingScope = <TScope extends { readonly system: object }>(
  scope: TScope,
  note: (step: NotedMicrostep) => void,
): TScope => {
  const _sendInspectionEvent = (event: InspectionEvent): void => {
    if (event.type === '@xstate.microstep')
      note({ transitions: event._transitions, snapshot: event.snapshot as AnyMachineSnapshot });
  };
  const system = Object.assign(Object.create(scope.system), { _sendInspectionEvent });
  return Object.assign(Object.create(scope), { system });
};
