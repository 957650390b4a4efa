// What the hot path needs of a machine, looked up once instead of with every message: for each state and event the guards
// to ask, the actions to call, the states left and entered. It is made from the chart and says nothing that the
// machine's definition does not. A transition it cannot express in these few words is left to XState.
import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import { type Chart, type ChartNode, chartOf, type Line, linesFor } from './chart.ts';
import type { Guard } from './guard.ts';
import { domainOf, enteredBy } from './moves.ts';
import { type BuiltinEffect, builtinEffectOf } from './xstate-internals.ts';

export type PlannedAction = BuiltinEffect;

/** Every state inside `domain` is left, and the same states are entered, wherever it was before. */
export interface Move {
  readonly domain: ChartNode;
  /** The keys that lead to the domain in a state value. */
  readonly path: readonly string[];
  /** What stands there afterwards. */
  readonly value: StateValue;
  readonly entered: readonly AnyStateNode[];
  /** No state inside the domain has exit actions. */
  readonly leavesQuietly: boolean;
  readonly entryActions: readonly PlannedAction[];
}

export interface PlannedLine {
  readonly line: Line;
  readonly holds: Guard | undefined;
  /** Null: XState takes this transition. */
  readonly actions: readonly PlannedAction[] | null;
  readonly move: Move | undefined;
}

export interface PlannedNode {
  readonly states: Readonly<Record<string, PlannedNode>>;
  readonly on: ReadonlyMap<string, readonly PlannedLine[]>;
  readonly hasWildcards: boolean;
  readonly always: readonly PlannedLine[];
  readonly exitActions: readonly PlannedAction[];
  readonly chartNode: ChartNode;
}

export interface Plan {
  readonly chart: Chart;
  readonly root: PlannedNode;
  readonly nodes: readonly PlannedNode[];
  readonly hasAlways: boolean;
  readonly hasTags: boolean;
  readonly planned: (line: Line) => PlannedLine;
}

/** Undefined when one of them is none that the runtime knows. */
const actionsOf = (
  machine: AnyStateMachine,
  actions: readonly unknown[],
): readonly PlannedAction[] | undefined => {
  const known = actions.map((action) => builtinEffectOf(machine, action));
  return known.includes(undefined) ? undefined : (known as PlannedAction[]);
};

const valueBelow = (node: ChartNode, entered: ReadonlySet<ChartNode>): StateValue => {
  const children = Object.values(node.states).filter((child) => entered.has(child));
  const [first] = children;
  if (node.type === 'compound' && first !== undefined && Object.keys(first.states).length === 0)
    return first.key;
  return Object.fromEntries(children.map((child) => [child.key, valueBelow(child, entered)]));
};

const insideOf = (chart: Chart, domain: ChartNode): readonly ChartNode[] =>
  chart.nodes.slice(domain.order + 1, domain.last + 1);

/** History is remembered when it is left, and a child ends with its state: both are XState's business. */
const mayBeLeft = (machine: AnyStateMachine, { type, ref }: ChartNode): boolean =>
  type !== 'history' && ref.invoke.length === 0 && actionsOf(machine, ref.exit) !== undefined;

/** A final state ends something. */
const mayBeEntered = (machine: AnyStateMachine, { type, ref, hasInitialActions }: ChartNode): boolean =>
  type !== 'final' &&
  type !== 'history' &&
  ref.invoke.length === 0 &&
  !hasInitialActions &&
  actionsOf(machine, ref.entry) !== undefined;

/** Undefined when XState has to make it. */
const moveOf = (chart: Chart, line: Line): Move | 'stays' | undefined => {
  const { machine } = chart;
  if (line.targets?.some(({ type }) => type === 'history')) return undefined;
  const domain = domainOf(chart, line);
  if (domain === undefined) return 'stays';
  if (domain === 'everything') return undefined;
  const inside = insideOf(chart, domain);
  // A state without states of its own that leads to itself: nothing is left.
  if (inside.length === 0) return 'stays';
  if (!inside.every((node) => mayBeLeft(machine, node))) return undefined;
  const entered = enteredBy(chart, [line]);
  if (domain.hasInitialActions || !entered.every((node) => mayBeEntered(machine, node))) return undefined;
  return {
    domain,
    path: domain.ref.path,
    value: valueBelow(domain, new Set(entered)),
    entered: entered.map(({ ref }) => ref),
    leavesQuietly: inside.every(({ ref }) => ref.exit.length === 0),
    entryActions: entered.flatMap(({ ref }) => actionsOf(machine, ref.entry) ?? []),
  };
};

const planLine = (chart: Chart, line: Line): PlannedLine => {
  const move = moveOf(chart, line);
  const actions = actionsOf(chart.machine, line.ref.actions);
  const isPlanned = move !== undefined && actions !== undefined;
  return {
    line,
    holds: line.guard,
    actions: isPlanned ? actions : null,
    move: move === 'stays' ? undefined : move,
  };
};

const make = (chart: Chart): Plan => {
  const lines = new Map<Line, PlannedLine>(chart.lines.map((line) => [line, planLine(chart, line)]));
  const planned = (line: Line): PlannedLine => lines.get(line) as PlannedLine;
  const nodes = new Map<ChartNode, PlannedNode>();
  // From the last to the first, so that children are there before their parents.
  for (const node of [...chart.nodes].reverse()) {
    const states = Object.entries(node.states).map(([key, child]) => [key, nodes.get(child)] as const);
    nodes.set(node, {
      states: Object.fromEntries(states) as Record<string, PlannedNode>,
      on: new Map([...node.on].map(([event, own]) => [event, own.map(planned)])),
      hasWildcards: node.wildcards.length > 0,
      always: node.always.map(planned),
      exitActions: actionsOf(chart.machine, node.ref.exit) ?? [],
      chartNode: node,
    });
  }
  return {
    chart,
    root: nodes.get(chart.root) as PlannedNode,
    nodes: chart.nodes.map((node) => nodes.get(node) as PlannedNode),
    hasAlways: chart.nodes.some(({ always }) => always.length > 0),
    hasTags: chart.nodes.some(({ ref }) => ref.tags.length > 0),
    planned,
  };
};

const plans = new WeakMap<AnyStateMachine, Plan>();

export const planOf = (machine: AnyStateMachine): Plan => {
  const known = plans.get(machine);
  if (known !== undefined) return known;
  const plan = make(chartOf(machine));
  plans.set(machine, plan);
  return plan;
};

const none: readonly PlannedLine[] = [];

export const plannedFor = (plan: Plan, node: PlannedNode, type: string): readonly PlannedLine[] =>
  node.hasWildcards ? linesFor(node.chartNode, type).map(plan.planned) : (node.on.get(type) ?? none);
