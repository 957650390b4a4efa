// One line between two states with its label; the transition just taken runs along it.
import type { GraphTransition } from '../../../src/http/inspect/protocol.ts';
import type { Box, LaidEdge } from '../../build/chart-layout.ts';
import { type LabelForm, lineLabel, rowHeight } from '../../build/labels.ts';
import type { Heat } from '../lib/heat.ts';
import { roundedPath } from './geometry.ts';
import { HeatMark, heatStyle, isCold } from './heat-mark.tsx';
import { onEnter } from './press.ts';
import { Rows, rowsText } from './rows.tsx';

interface LineProps {
  readonly edge: LaidEdge;
  readonly lines: readonly GraphTransition[];
  readonly form: LabelForm;
  readonly classOf: (transition: string) => string;
  readonly moment: number | string;
  readonly heat: Heat | undefined;
  readonly onPick: (transition: string) => void;
}

export const Line = ({ edge, lines, form, classOf, moment, heat, onPick }: LineProps) => {
  const [first] = lines;
  if (first === undefined) return null;
  const path = roundedPath(edge.points);
  const [x, y, width, height] = edge.label;
  const classes = new Set(lines.flatMap((line) => classOf(line.id).split(' ')));
  const isTaken = classes.has('taken');
  // Struck out only when nothing along it was possible.
  if (isTaken || lines.some((line) => !classOf(line.id).includes('refused'))) classes.delete('refused');
  if (isCold(heat, edge.transitions)) classes.add('cold');
  const { rows } = lineLabel(lines, form);
  const kinds = new Set(lines.map((line) => line.kind));
  const pickNext = (event: Event): void => onPick(pickedRow(event, edge, lines, form) ?? first.id);
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
    <g
      class={`line ${kinds.size === 1 ? first.kind : ''} ${[...classes].join(' ')}`}
      style={heatStyle(heat, edge.transitions)}
      data-transitions={edge.transitions.join(' ')}
      role="button"
      tabIndex={-1}
      aria-label={`${rowsText(rows)}, from ${first.source} to ${first.targets.join(', ')}`}
      onClick={pickNext}
      onKeyDown={onEnter(() => onPick(first.id))}
    >
      <title>{lines.map(tooltip).join('\n\n')}</title>
      <path class="hit" d={path} />
      <path class="stroke" d={path} marker-end={`url(#arrow-${isTaken ? 'taken' : 'line'})`} />
      {edge.stub !== null && <Stub box={edge.stub} />}
      {isTaken && <path key={moment} class="run" d={path} pathLength={100} />}
      <rect class="plate" x={x} y={y} width={width} height={height} rx={4} />
      <Rows rows={rows} x={x + 5} y={y + 1} classOf={classOf} />
      <HeatMark heat={heat} ids={edge.transitions} x={x + width} y={y} />
    </g>
  );
};

const tooltip = (line: GraphTransition): string =>
  [
    `${line.label}${line.guard === '' ? '' : ` [${line.guard}]`}`,
    line.actions.length > 0 && `does ${line.actions.join(', ')}`,
    line.description,
  ]
    .filter(Boolean)
    .join('\n');

/** A diamond: from anywhere in the group. */
const Stub = ({ box: [x, y, width, height] }: { box: Box }) => (
  <path
    class="stub"
    d={`M${x} ${y + height / 2}L${x + width / 2} ${y}L${x + width} ${y + height / 2}L${x + width / 2} ${y + height}z`}
  />
);

/** Which of the rows on a line was clicked on. */
const pickedRow = (
  event: Event,
  edge: LaidEdge,
  lines: readonly GraphTransition[],
  form: LabelForm,
): string | undefined => {
  const svg = (event.target as SVGElement).ownerSVGElement;
  if (!(event instanceof MouseEvent) || svg === null) return undefined;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  const [x, y, width, height] = edge.label;
  if (point.x < x || point.x > x + width || point.y < y || point.y > y + height) return undefined;
  const { rows } = lineLabel(lines, form);
  return rows[Math.min(rows.length - 1, Math.floor((point.y - y) / rowHeight))]?.transition;
};
