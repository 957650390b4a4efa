// Lays a machine's graph out for drawing: boxes, orthogonal lines, labels. Runs at build time only, so that the page
// ships coordinates and no layouter.
import type { MachineGraph } from '../../src/http/inspect/protocol.ts';
import type { Box, ChartLayout, LaidEdge, Point } from './chart-layout.ts';
import { layoutMachine } from './group-layout.ts';
import type { LabelForm } from './labels.ts';
import { type LaidGroup, scaleIn } from './laid-group.ts';
import { dotId, isInward, type Line, linesOf, stubId } from './lines.ts';

/** The place a chart usually has on the page: the variant is taken that can be drawn largest in it. */
const place = { width: 900, height: 680 };
const forms: readonly LabelForm[] = ['wide', 'tall'];

/** Rejects when anything of the graph has no place: a drawing that misses a line is worse than none. */
export const layoutChart = async (graph: MachineGraph): Promise<ChartLayout> => {
  const charts: ChartLayout[] = [];
  for (const form of forms) charts.push(chartOf(graph, form, await layoutMachine(graph, form, place)));
  return charts.reduce((best, chart) => (scaleIn(place, chart) > scaleIn(place, best) ? chart : best));
};

const chartOf = (graph: MachineGraph, form: LabelForm, laid: LaidGroup): ChartLayout => ({
  id: graph.id,
  sha: graph.sha,
  form,
  width: Math.ceil(laid.width),
  height: Math.ceil(laid.height),
  states: Object.fromEntries(graph.states.map((state) => [state.id, boxOf(laid, state.id)])),
  edges: linesOf(graph).map((line) => edgeOf(line, laid)),
  initials: graph.states
    .filter((state) => state.initial !== null)
    .map((state) => ({
      state: state.id,
      dot: boxOf(laid, dotId(state.id)),
      points: lineOf(laid, dotId(state.id)).points.map(roundPoint),
    })),
});

const edgeOf = (line: Line, laid: LaidGroup): LaidEdge => {
  const { points, label } = lineOf(laid, line.key);
  if (label === null) throw new Error(`the line ${line.key} has no label place`);
  return {
    transitions: line.transitions.map((transition) => transition.id),
    stub: isInward(line) ? boxOf(laid, stubId(line)) : null,
    points: points.map(roundPoint),
    label: roundBox(label),
  };
};

const lineOf = (laid: LaidGroup, key: string) => {
  const line = laid.lines.get(key);
  if (line === undefined) throw new Error(`the line ${key} was not routed`);
  return line;
};

const boxOf = (laid: LaidGroup, id: string): Box => {
  const box = laid.boxes.get(id);
  if (box === undefined) throw new Error(`the state ${id} was not placed`);
  return roundBox(box);
};

const round = (value: number): number => Math.round(value * 2) / 2;
const roundPoint = ([x, y]: Point): Point => [round(x), round(y)];
const roundBox = ([x, y, width, height]: Box): Box => [round(x), round(y), round(width), round(height)];
