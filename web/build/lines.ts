// Which lines a drawing has: one for each pair of states, whatever the number of transitions between them. Pure.
import type { GraphTransition, MachineGraph } from '../../src/http/inspect/protocol.ts';

export interface Line {
  readonly key: string;
  readonly source: string;
  readonly target: string;
  readonly transitions: readonly GraphTransition[];
}

/** A transition with several targets has a line to each; one without a target is a row inside its state's box. */
export const linesOf = (graph: MachineGraph): Line[] => {
  const found = new Map<string, { source: string; target: string; transitions: GraphTransition[] }>();
  for (const transition of graph.transitions) {
    for (const target of new Set(transition.targets)) {
      const key = `${transition.source}>${target}`;
      const line = found.get(key) ?? { source: transition.source, target, transitions: [] };
      line.transitions.push(transition);
      found.set(key, line);
    }
  }
  return [...found].map(([key, line]) => ({ key, ...line }));
};

export const isInside = (state: string, group: string): boolean => state.startsWith(`${group}.`);

/** From a group into itself: drawn from a mark beside the target, as a line from the group's border would cross it all. */
export const isInward = ({ source, target }: Line): boolean => isInside(target, source);

export const stubId = (line: Line): string => `${line.key}|stub`;
export const dotId = (state: string): string => `${state}|initial`;

/** No line crosses the group's border, so that its inside can be laid out by itself. */
export const isClosed = (group: string, lines: readonly Line[]): boolean =>
  lines.every((line) => isInward(line) || isInside(line.source, group) === isInside(line.target, group));
