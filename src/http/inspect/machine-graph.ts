// Turns a machine into a graph that can be drawn: every state and every transition, `always` and guards included.
// Walks the live state nodes, because the machine's own JSON form loses `always` transitions and guard functions.
// Pure; used by the inspection API and, at build time, by the layout of the page.
import { createHash } from 'node:crypto';
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { isOfDelay, nameOfAction, nameOfGuard } from './names.ts';
import type { GraphState, GraphTransition, MachineGraph, TransitionKind } from './protocol.ts';

/** Promise: the same machine gives the same graph, ids and `sha` in every process that runs the same code. */
export const machineGraph = (machine: AnyStateMachine, title = ''): MachineGraph => {
  const nodes = walkNodes(machine.root);
  const states = nodes.map(stateOf);
  const transitions = nodes.flatMap((node) => transitionsOf(node).map(({ id, ref }) => drawn(node, id, ref)));
  const body = { id: machine.id, title, states, transitions, events: eventDescriptions(machine) };
  return { ...body, sha: createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12) };
};

/** The id a state is drawn under: machine id and path, whatever custom id the node has. */
export const stateId = (node: AnyStateNode): string => [node.machine.id, ...node.path].join('.');

/** Every transition of a machine with the id it is drawn under; finds the drawn line of a transition XState took. */
export const transitionIds = (machine: AnyStateMachine): ReadonlyMap<AnyTransitionDefinition, string> => {
  const known = idsOfMachines.get(machine);
  if (known !== undefined) return known;
  const ids = new Map(
    walkNodes(machine.root).flatMap((node) => transitionsOf(node).map(({ id, ref }) => [ref, id])),
  );
  idsOfMachines.set(machine, ids);
  return ids;
};

/** A machine never changes, and it is asked about with every transition somebody watches. */
const idsOfMachines = new WeakMap<AnyStateMachine, ReadonlyMap<AnyTransitionDefinition, string>>();

/** Document order, parents before children. */
export const walkNodes = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap((child) => walkNodes(child as AnyStateNode)),
];

export const transitionsOf = (node: AnyStateNode): { id: string; ref: AnyTransitionDefinition }[] => {
  const listed = [...node.transitions.values()].flat() as AnyTransitionDefinition[];
  const all = [...listed, ...((node.always ?? []) as AnyTransitionDefinition[])];
  const counts = new Map<string, number>();
  return all.map((ref) => {
    const event = String(ref.eventType);
    const nth = counts.get(event) ?? 0;
    counts.set(event, nth + 1);
    return { id: `${stateId(node)}|${event}|${nth}`, ref };
  });
};

const stateOf = (node: AnyStateNode): GraphState => {
  const initial = node.type === 'compound' ? node.initial?.target?.[0] : undefined;
  return {
    id: stateId(node),
    key: node.key,
    parent: node.parent === undefined ? null : stateId(node.parent),
    type: node.type,
    initial: initial === undefined ? null : stateId(initial),
    description: node.description ?? '',
    tags: [...node.tags],
    entry: named(node.entry),
    exit: named(node.exit),
    invokes: node.invoke.map((invoked) => ({ id: invoked.id, src: String(invoked.src) })),
  };
};

const named = (actions: readonly unknown[]): string[] =>
  actions.filter((action) => !isOfDelay(action)).map(nameOfAction);

const drawn = (node: AnyStateNode, id: string, ref: AnyTransitionDefinition): GraphTransition => {
  const event = String(ref.eventType);
  return {
    id,
    source: stateId(node),
    targets: (ref.target ?? []).map((target) => stateId(target)),
    event,
    kind: kindOf(event, ref),
    label: labelOf(event, ref),
    guard: ref.guard === undefined ? '' : nameOfGuard(ref.guard),
    actions: ref.actions.map(nameOfAction),
    reenter: ref.reenter,
    description: ref.description ?? '',
  };
};

const kindOf = (event: string, ref: AnyTransitionDefinition): TransitionKind => {
  if (event === '') return 'always';
  if (event === '*' || event.endsWith('.*')) return 'wildcard';
  if ('delay' in ref && ref.delay !== undefined) return 'after';
  if (event.startsWith('xstate.done.')) return 'done';
  if (event.startsWith('xstate.error.')) return 'error';
  return 'event';
};

const labelOf = (event: string, ref: AnyTransitionDefinition): string => {
  switch (kindOf(event, ref)) {
    case 'always':
      return 'always';
    case 'wildcard':
      return event === '*' ? 'any event' : event;
    case 'after':
      return `after ${String((ref as { delay?: unknown }).delay)}`;
    case 'done':
      return 'done';
    case 'error':
      return 'error';
    case 'event':
      return event;
  }
};

/** Machines keep one line about each event in `meta.events` of their root. */
const eventDescriptions = (machine: AnyStateMachine): Record<string, string> => {
  const meta = machine.root.meta as { events?: Record<string, unknown> } | undefined;
  const entries = Object.entries(meta?.events ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
};
