// A machine as data: its states in document order and its transitions as lines with the ids they are drawn under. Made once
// from the machine's definition; drawings, explanations, known events and the plan of hot steps are read from it.
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type Guard, guardOf } from './guard.ts';
import { activeNodes, initialOf, rootOf, writtenTransitions } from './xstate-internals.ts';

export interface ChartNode {
  /** Machine id and path, e.g. `check.ttl.waiting`, whatever custom id the state has. */
  readonly id: string;
  readonly key: string;
  readonly type: AnyStateNode['type'];
  readonly parent: ChartNode | undefined;
  readonly states: Readonly<Record<string, ChartNode>>;
  /** Position in document order, and that of the last state inside this one. */
  readonly order: number;
  readonly last: number;
  readonly initial: ChartNode | undefined;
  /** Something is done when the initial state is entered by default. */
  readonly hasInitialActions: boolean;
  /** By event type as it is written, in the order in which they are asked. */
  readonly on: ReadonlyMap<string, readonly Line[]>;
  /** Those of `on` with a star, the longest first. */
  readonly wildcards: readonly (readonly [string, readonly Line[]])[];
  /** Eventless transitions. */
  readonly always: readonly Line[];
  readonly ref: AnyStateNode;
}

/** One transition as it is written. */
export interface Line {
  /** `source|event|n`: stable as long as the machine is. */
  readonly id: string;
  readonly source: ChartNode;
  /** Empty for an eventless transition. */
  readonly event: string;
  /** Undefined: it stays where it is and only does its actions. */
  readonly targets: readonly ChartNode[] | undefined;
  readonly guard: Guard | undefined;
  readonly ref: AnyTransitionDefinition;
}

export interface Chart {
  readonly machine: AnyStateMachine;
  readonly root: ChartNode;
  /** In document order, parents before children. */
  readonly nodes: readonly ChartNode[];
  readonly lines: readonly Line[];
  readonly lineOf: (ref: AnyTransitionDefinition) => Line | undefined;
  readonly nodeOf: (ref: AnyStateNode) => ChartNode;
}

/** The fields of a node that can be filled in only when all nodes are there. */
type Draft = { -readonly [Field in keyof ChartNode]: ChartNode[Field] };

const draftOf = (ref: AnyStateNode, machineId: string, parent: Draft | undefined, nodes: Draft[]): Draft => {
  const node: Draft = {
    id: [machineId, ...ref.path].join('.'),
    key: ref.key,
    type: ref.type,
    parent,
    states: {},
    order: nodes.length,
    last: nodes.length,
    initial: undefined,
    hasInitialActions: false,
    on: new Map(),
    wildcards: [],
    always: [],
    ref,
  };
  nodes.push(node);
  node.states = Object.fromEntries(
    Object.entries(ref.states).map(([key, child]) => [
      key,
      draftOf(child as AnyStateNode, machineId, node, nodes),
    ]),
  );
  node.last = nodes.length - 1;
  return node;
};

const lineOf = (
  machine: AnyStateMachine,
  source: ChartNode,
  ref: AnyTransitionDefinition,
  nth: number,
  nodeOf: Chart['nodeOf'],
): Line => {
  const event = String(ref.eventType);
  return {
    id: `${source.id}|${event}|${nth}`,
    source,
    event,
    targets: ref.target?.map((target) => nodeOf(target as AnyStateNode)),
    guard: guardOf(machine, ref.guard),
    ref,
  };
};

const make = (machine: AnyStateMachine): Chart => {
  const nodes: Draft[] = [];
  const root = draftOf(rootOf(machine), machine.id, undefined, nodes);
  const byRef = new Map<AnyStateNode, Draft>(nodes.map((node) => [node.ref, node]));
  const nodeOf = (ref: AnyStateNode): Draft => {
    const node = byRef.get(ref);
    if (node === undefined) throw new Error(`state ${ref.id} is not a state of machine ${machine.id}`);
    return node;
  };
  const lines = new Map<AnyTransitionDefinition, Line>();
  for (const node of nodes) {
    const { target, hasActions } = initialOf(node.ref);
    node.initial = target && nodeOf(target);
    node.hasInitialActions = hasActions;
    const written = writtenTransitions(node.ref).map(([event, refs]) => {
      const own = refs.map((ref, nth) => lineOf(machine, node, ref, nth, nodeOf));
      for (const line of own) lines.set(line.ref, line);
      return [event, own] as const;
    });
    node.on = new Map(written.filter(([event]) => event !== ''));
    node.wildcards = written
      .filter(([event]) => event.endsWith('*'))
      .sort(([one], [other]) => other.length - one.length);
    node.always = written.find(([event]) => event === '')?.[1] ?? [];
  }
  return { machine, root, nodes, lines: [...lines.values()], lineOf: (ref) => lines.get(ref), nodeOf };
};

const charts = new WeakMap<AnyStateMachine, Chart>();

export const chartOf = (machine: AnyStateMachine): Chart => {
  const known = charts.get(machine);
  if (known !== undefined) return known;
  const chart = make(machine);
  charts.set(machine, chart);
  return chart;
};

/** Anywhere inside, not the same. */
export const isInside = (node: ChartNode, outer: ChartNode): boolean =>
  node.order > outer.order && node.order <= outer.last;

/** In the order in which they were entered. */
export const activeIn = (chart: Chart, snapshot: AnyMachineSnapshot): ChartNode[] =>
  activeNodes(snapshot).map(chart.nodeOf);

/** XState's matching of event types: exact, `*`, and `prefix.*`. */
export const eventMatches = (descriptor: string, type: string): boolean => {
  if (descriptor === type || descriptor === '*') return true;
  return (
    descriptor.endsWith('.*') &&
    (type === descriptor.slice(0, -2) || type.startsWith(descriptor.slice(0, -1)))
  );
};

const none: readonly Line[] = [];

/** Those of one state for an event, in the order in which they are asked: exact ones first, then the longer wildcard. */
export const linesFor = (node: ChartNode, type: string): readonly Line[] => {
  const exact = node.on.get(type) ?? none;
  if (node.wildcards.length === 0) return exact;
  const others = node.wildcards.filter(([event]) => event !== type && eventMatches(event, type));
  return [...exact, ...others.flatMap(([, lines]) => lines)];
};

/** Whether any state has a transition for the event, be it one that does nothing. XState drops others without a word. */
export const knowsEvent = (machine: AnyStateMachine, type: string): boolean =>
  chartOf(machine).nodes.some((node) => linesFor(node, type).length > 0);
