// Which drawn lines a seen transition went along: those whose guards agreed, and the `always` lines that led on from
// a state left at once. Pure; asks the guards again on the state before, which is kept as long as the record.
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { explain } from './explain-rule.ts';
import type { Candidate, MachineGraph } from './protocol.ts';
import { activeStateIds } from './state-value.ts';

export interface Told {
  /** Every transition the event could have taken, with the answer of its guard. */
  readonly candidates: readonly Candidate[];
  /** In the order of the candidates. */
  readonly taken: readonly string[];
}

/** Empty when the state before is not known, as for the first record of an actor that was just restarted. */
export const tellTransition = (
  graph: MachineGraph,
  machine: AnyStateMachine,
  before: unknown,
  event: unknown,
  to: unknown,
): Told => {
  if (!isMachineSnapshot(before) || !isEvent(event)) return { candidates: [], taken: [] };
  const candidates = explain(machine, before, event);
  const taken = candidates.filter((candidate) => candidate.taken).map(({ id }) => id);
  return { candidates, taken: [...taken, ...ledOn(graph, taken, to)] };
};

/** The `always` lines from targets that are not active any more to those that are. */
const ledOn = (graph: MachineGraph, taken: readonly string[], to: unknown): string[] => {
  const active = new Set(activeStateIds(graph.id, to));
  const passed = graph.transitions
    .filter((line) => taken.includes(line.id))
    .flatMap((line) => line.targets)
    .filter((target) => !active.has(target));
  return passed.flatMap((state) =>
    graph.transitions
      .filter((line) => line.kind === 'always' && line.source === state)
      .filter((line) => line.targets.every((target) => active.has(target)))
      .slice(0, 1)
      .map((line) => line.id),
  );
};

const isMachineSnapshot = (snapshot: unknown): snapshot is AnyMachineSnapshot =>
  typeof snapshot === 'object' && snapshot !== null && '_nodes' in snapshot;

const isEvent = (event: unknown): event is EventObject =>
  typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string';
