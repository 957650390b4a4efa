// Converts a machine to a graph for drawing: all states and transitions, including `always` and guards. Uses the
// runtime's chart of the machine, because the machine's JSON form loses `always` transitions and guards. Pure; used
// by the inspection API and, at build time, by the page layout.
import { createHash } from 'node:crypto';
import type { AnyStateMachine } from 'xstate';
import { type ChartNode, chartOf, type Line } from '../../actors/runtime/statechart/chart.ts';
import { isOfDelay, nameOfAction, nameOfGuard } from '../../actors/runtime/statechart/names.ts';
import type { GraphState, GraphTransition, MachineGraph, TransitionKind } from './protocol.ts';

/** The same machine gives the same graph, ids and `sha` in every process that runs the same code. */
export const machineGraph = (machine: AnyStateMachine, title = ''): MachineGraph => {
  const { nodes, lines } = chartOf(machine);
  const body = {
    id: machine.id,
    title,
    states: nodes.map(stateOf),
    transitions: lines.map(drawn),
    events: eventDescriptions(machine),
  };
  return { ...body, sha: createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12) };
};

const stateOf = ({ id, key, parent, type, initial, ref }: ChartNode): GraphState => ({
  id,
  key,
  parent: parent?.id ?? null,
  type,
  initial: initial?.id ?? null,
  description: ref.description ?? '',
  tags: [...ref.tags],
  entry: named(ref.entry),
  exit: named(ref.exit),
  invokes: ref.invoke.map((invoked) => ({ id: invoked.id, src: String(invoked.src) })),
});

const named = (actions: readonly unknown[]): string[] =>
  actions.filter((action) => !isOfDelay(action)).map(nameOfAction);

const drawn = ({ id, source, targets, event, ref }: Line): GraphTransition => ({
  id,
  source: source.id,
  targets: (targets ?? []).map((target) => target.id),
  event,
  kind: kindOf(event, ref),
  label: labelOf(event, ref),
  guard: nameOfGuard(ref.guard),
  actions: ref.actions.map(nameOfAction),
  reenter: ref.reenter,
  description: ref.description ?? '',
});

const kindOf = (event: string, ref: Line['ref']): TransitionKind => {
  if (event === '') return 'always';
  if (event === '*' || event.endsWith('.*')) return 'wildcard';
  if ('delay' in ref && ref.delay !== undefined) return 'after';
  if (event.startsWith('xstate.done.')) return 'done';
  if (event.startsWith('xstate.error.')) return 'error';
  return 'event';
};

const labelOf = (event: string, ref: Line['ref']): string => {
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

/** Machines keep a one-line description of each event in `meta.events` of their root. */
const eventDescriptions = (machine: AnyStateMachine): Record<string, string> => {
  const meta = machine.config.meta as { events?: Record<string, unknown> } | undefined;
  const entries = Object.entries(meta?.events ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
};
