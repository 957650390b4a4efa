// What makes a drawing whole, as a list of complaints: empty means every state and transition can be seen.
import type { MachineGraph } from '../../src/http/inspect/protocol.ts';
import type { Box, ChartLayout, LaidEdge, Point } from '../../web/build/chart-layout.ts';

export const complaints = (graph: MachineGraph, chart: ChartLayout): string[] => [
  ...inlineNames(graph),
  ...overlaps(graph, chart),
  ...strays(graph, chart),
  ...missing(graph, chart),
  ...crookedLines(chart),
  ...loneLines(graph, chart),
  ...coveredLabels(graph, chart),
];

const inlineNames = (graph: MachineGraph): string[] => [
  ...graph.states
    .filter((state) => [...state.entry, ...state.exit].some((name) => name.includes('(inline)')))
    .map((state) => `${state.id} has an entry or exit action without a name`),
  ...graph.transitions
    .filter((line) => `${line.guard} ${line.actions.join(' ')}`.includes('(inline)'))
    .map((line) => `${line.id} has a guard or action without a name`),
];

const boxOf = (chart: ChartLayout, id: string): Box => chart.states[id] ?? [0, 0, 0, 0];

const overlaps = (graph: MachineGraph, chart: ChartLayout): string[] =>
  graph.states.flatMap((one, index) =>
    graph.states
      .slice(index + 1)
      .filter((other) => other.parent === one.parent && meet(boxOf(chart, one.id), boxOf(chart, other.id)))
      .map((other) => `${one.id} overlaps ${other.id}`),
  );

const strays = (graph: MachineGraph, chart: ChartLayout): string[] =>
  graph.states
    .filter((state) => state.parent !== null && !holds(boxOf(chart, state.parent), boxOf(chart, state.id)))
    .map((state) => `${state.id} is outside its parent`);

const missing = (graph: MachineGraph, chart: ChartLayout): string[] => [
  ...graph.states.filter((state) => boxOf(chart, state.id)[2] <= 0).map((state) => `${state.id} has no box`),
  ...graph.transitions
    .filter(
      (line) =>
        chart.edges.filter((edge) => edge.transitions.includes(line.id)).length !==
        new Set(line.targets).size,
    )
    .map((line) => `${line.id} is not drawn once per target`),
  ...graph.states
    .filter((state) => state.initial !== null && !chart.initials.some((mark) => mark.state === state.id))
    .map((state) => `${state.id} has no initial mark`),
];

const crookedLines = (chart: ChartLayout): string[] =>
  chart.edges.flatMap((edge) =>
    edge.points
      .slice(1)
      .filter(([x, y], index) => x !== edge.points[index]?.[0] && y !== edge.points[index]?.[1])
      .map(() => `${nameOf(edge)} has a slanted part`),
  );

const nameOf = (edge: LaidEdge): string => edge.transitions.join(' and ');

/** A line must begin and end on the border of the states it joins, or at the mark of the group it comes from. */
const loneLines = (graph: MachineGraph, chart: ChartLayout): string[] =>
  chart.edges.flatMap((edge) => {
    const line = graph.transitions.find((candidate) => edge.transitions.includes(candidate.id));
    const first = edge.points[0];
    const last = edge.points.at(-1);
    if (line === undefined || first === undefined || last === undefined)
      return [`${nameOf(edge)} has no points`];
    const ends = line.targets.some((target) => onBorder(boxOf(chart, target), last));
    const begins = onBorder(edge.stub ?? boxOf(chart, line.source), first);
    return [
      ...(begins ? [] : [`${nameOf(edge)} does not begin at its state`]),
      ...(ends ? [] : [`${nameOf(edge)} does not end at its state`]),
    ];
  });

/** No two labels, and no label and no leaf, may lie on each other: they could not be read. */
const coveredLabels = (graph: MachineGraph, chart: ChartLayout): string[] => {
  const leaves = graph.states.filter((state) => !graph.states.some((child) => child.parent === state.id));
  return chart.edges.flatMap((edge, index) => [
    ...chart.edges
      .slice(index + 1)
      .filter((other) => meet(edge.label, other.label))
      .map((other) => `the labels of ${nameOf(edge)} and ${nameOf(other)} overlap`),
    ...leaves
      .filter((leaf) => meet(edge.label, boxOf(chart, leaf.id)))
      .map((leaf) => `the label of ${nameOf(edge)} lies on ${leaf.id}`),
  ]);
};

const meet = (a: Box, b: Box): boolean =>
  a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
const holds = (outer: Box, inner: Box): boolean =>
  inner[0] >= outer[0] &&
  inner[1] >= outer[1] &&
  inner[0] + inner[2] <= outer[0] + outer[2] &&
  inner[1] + inner[3] <= outer[1] + outer[3];
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1.5;
const onBorder = ([x, y, w, h]: Box, [px, py]: Point): boolean =>
  (near(px, x) || near(px, x + w) || near(py, y) || near(py, y + h)) &&
  px >= x - 1.5 &&
  px <= x + w + 1.5 &&
  py >= y - 1.5 &&
  py <= y + h + 1.5;
