// A drawn machine as one SVG file, for pages without scripts. Colours are attributes, since a content security policy may
// forbid style sheets inside of images. Pure; runs at build time.
import type { GraphState, GraphTransition, MachineGraph } from '../../src/http/inspect/protocol.ts';
import { roundedPath } from '../src/chart/geometry.ts';
import type { Box, ChartLayout, LaidEdge } from './chart-layout.ts';
import { lineLabel, type Row, rowHeight, stateLabel, titleHeight } from './labels.ts';

const margin = 10;
const colours = {
  page: '#ffffff',
  box: '#f4f6fa',
  group: '#fbfcfe',
  border: '#8a94a6',
  text: '#1c2430',
  guard: '#66718a',
  line: '#5b6678',
};
const fonts = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const rowsOf = (rows: readonly Row[], x: number, y: number): string =>
  rows
    .map(({ event, guard }, index) => {
      const guarded =
        guard === '' ? '' : `<tspan fill="${colours.guard}">${escaped(` ${guard}`.trimEnd())}</tspan>`;
      return `<text x="${x}" y="${y + (index + 0.78) * rowHeight}" font-size="11" xml:space="preserve">${escaped(event)}${guarded}</text>`;
    })
    .join('');

const boxOf = (
  graph: MachineGraph,
  state: GraphState,
  form: ChartLayout['form'],
  [x, y, width, height]: Box,
): string => {
  const isGroup = graph.states.some(({ parent }) => parent === state.id);
  const { rows } = stateLabel(graph, state, form);
  const frame = `x="${x}" y="${y}" width="${width}" height="${height}" rx="8"`;
  const inner =
    state.type === 'final'
      ? `<rect x="${x + 3.5}" y="${y + 3.5}" width="${width - 7}" height="${height - 7}" rx="5" fill="none" stroke="${colours.border}"/>`
      : '';
  const name = state.type === 'history' ? 'H' : state.key;
  return `<g><title>${escaped([state.id, state.description].filter(Boolean).join('\n'))}</title><rect ${frame} fill="${isGroup ? colours.group : colours.box}" stroke="${colours.border}"/>${inner}<text x="${x + 12}" y="${y + 18}" font-size="13" font-weight="600">${escaped(name)}</text>${rowsOf(rows, x + 12, y + titleHeight + 3)}</g>`;
};

const stub = ([x, y, width, height]: Box): string =>
  `<path d="M${x} ${y + height / 2}L${x + width / 2} ${y}L${x + width} ${y + height / 2}L${x + width / 2} ${y + height}z" fill="${colours.line}"/>`;

const lineOf = (
  edge: LaidEdge,
  transitions: readonly GraphTransition[],
  form: ChartLayout['form'],
): string => {
  const [x, y, width, height] = edge.label;
  const { rows } = lineLabel(transitions, form);
  const path = `<path d="${roundedPath(edge.points)}" fill="none" stroke="${colours.line}" marker-end="url(#arrow)"/>`;
  const plate = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="${colours.page}"/>`;
  return `<g>${path}${edge.stub === null ? '' : stub(edge.stub)}${plate}${rowsOf(rows, x + 5, y + 1)}</g>`;
};

/** The whole file. States and transitions are those of the graph; the layout says where they are. */
export const chartSvg = (graph: MachineGraph, layout: ChartLayout): string => {
  const transitions = new Map(graph.transitions.map((transition) => [transition.id, transition]));
  const [width, height] = [layout.width + 2 * margin, layout.height + 2 * margin];
  const states = graph.states.map((state) => {
    const box = layout.states[state.id];
    if (box === undefined) throw new Error(`the state ${state.id} was not placed`);
    return boxOf(graph, state, layout.form, box);
  });
  const initials = layout.initials.map(
    ({ dot: [x, y, size], points }) =>
      `<circle cx="${x + size / 2}" cy="${y + size / 2}" r="${size / 2}" fill="${colours.line}"/><path d="${roundedPath(points)}" fill="none" stroke="${colours.line}" marker-end="url(#arrow)"/>`,
  );
  const edges = layout.edges.map((edge) =>
    lineOf(
      edge,
      edge.transitions.flatMap((id) => transitions.get(id) ?? []),
      layout.form,
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" font-family="${fonts}" fill="${colours.text}">`,
    `<title>${escaped(graph.title)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">',
    `<path d="M0 .8 7.2 4 0 7.2z" fill="${colours.line}"/></marker></defs>`,
    `<rect x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="${colours.page}"/>`,
    ...states,
    ...initials,
    ...edges,
    '</svg>\n',
  ].join('\n');
};
