// Where in a drawing a running deadline is shown: in the active state of the region that bears its name, else at the top.
import type { DeadlineView, MachineGraph } from '../../../src/http/inspect/protocol.ts';

export interface PlacedDeadline {
  readonly deadline: DeadlineView;
  readonly state: string;
}

export const placeDeadlines = (
  graph: MachineGraph,
  active: ReadonlySet<string>,
  deadlines: readonly DeadlineView[],
): PlacedDeadline[] =>
  deadlines.map((deadline) => ({ deadline, state: placeOf(graph, active, deadline.name) }));

const placeOf = (graph: MachineGraph, active: ReadonlySet<string>, name: string): string => {
  const region = graph.states.find((state) => state.key === name && active.has(state.id));
  const inside = (region?.id ?? graph.id) + (region === undefined ? '' : '.');
  const leaves = graph.states.filter(
    (state) => active.has(state.id) && !graph.states.some((child) => child.parent === state.id),
  );
  if (region === undefined) return leaves.length === 1 ? (leaves[0]?.id ?? graph.id) : graph.id;
  return leaves.find((leaf) => leaf.id.startsWith(inside))?.id ?? region.id;
};
