// A statechart, drawn from coordinates made at build time: active states lit, the last transition running along its
// line, deadlines as rings that empty. The same component draws an actor, a moment of its past, and a bare machine.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeadlineView, MachineGraph } from '../../../src/http/inspect/protocol.ts';
import type { LaidEdge } from '../../build/chart-layout.ts';
import { DeadlineRing } from '../parts/deadline-ring.tsx';
import { placeDeadlines } from './deadline-places.ts';
import { type Frame, roundedPath, zoomed } from './geometry.ts';
import { Line } from './line.tsx';
import type { Drawing } from './load-chart.ts';
import { Markers } from './markers.tsx';
import { usePanAndZoom } from './pan-and-zoom.ts';
import { StateBox } from './state-box.tsx';

export interface StatechartProps {
  readonly drawing: Drawing;
  readonly active: ReadonlySet<string>;
  /** Transitions to run along now; `moment` changes when they are to run anew. */
  readonly taken?: ReadonlySet<string>;
  /** Transitions whose guard said no. */
  readonly refused?: ReadonlySet<string>;
  readonly moment?: number | string;
  readonly deadlines?: readonly DeadlineView[];
  /** Transitions that could be next. */
  readonly possible?: ReadonlySet<string>;
  readonly onPick?: (picked: { readonly state?: string; readonly transition?: string }) => void;
  readonly picked?: string | undefined;
}

const margin = 10;
const none: ReadonlySet<string> = new Set();

export const Statechart = (props: StatechartProps) => {
  const { drawing, active, taken = none, refused = none, possible = none, moment = 0 } = props;
  const { graph, layout } = drawing;
  const whole: Frame = {
    x: -margin,
    y: -margin,
    width: layout.width + 2 * margin,
    height: layout.height + 2 * margin,
  };
  const [frame, setFrame] = useState(whole);
  const holder = useRef<SVGSVGElement>(null);
  useEffect(() => setFrame(whole), [layout.sha]);
  usePanAndZoom(holder, frame, whole, setFrame);
  const lines = new Map(graph.transitions.map((line) => [line.id, line]));
  const stateOfLine = (id: string): string =>
    [
      taken.has(id) && 'taken',
      refused.has(id) && 'refused',
      possible.has(id) && 'possible',
      props.picked === id && 'picked',
    ]
      .filter(Boolean)
      .join(' ');
  const order = (edge: LaidEdge): number => (edge.transitions.some((id) => taken.has(id)) ? 1 : 0);
  const edges = [...layout.edges].sort((a, b) => order(a) - order(b));
  return (
    <div class="chart">
      <svg
        ref={holder}
        viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
        aria-roledescription="statechart"
        aria-label={describe(graph, active)}
      >
        <Markers />
        {graph.states.map((state) => (
          <StateBox
            key={state.id}
            graph={graph}
            form={layout.form}
            state={state}
            box={layout.states[state.id] ?? [0, 0, 0, 0]}
            isActive={active.has(state.id)}
            isPicked={props.picked === state.id}
            onPick={() => props.onPick?.({ state: state.id })}
            rowClass={stateOfLine}
          />
        ))}
        {layout.initials.map((mark) => (
          <g key={mark.state} class="initial">
            <circle
              cx={mark.dot[0] + mark.dot[2] / 2}
              cy={mark.dot[1] + mark.dot[3] / 2}
              r={mark.dot[2] / 2}
            />
            <path d={roundedPath(mark.points)} marker-end="url(#arrow-dim)" />
          </g>
        ))}
        {edges.map((edge) => (
          <Line
            key={edge.transitions.join()}
            edge={edge}
            form={layout.form}
            lines={edge.transitions.flatMap((id) => lines.get(id) ?? [])}
            classOf={stateOfLine}
            moment={moment}
            onPick={(transition) => props.onPick?.({ transition })}
          />
        ))}
        {placeDeadlines(graph, active, props.deadlines ?? []).map(({ deadline, state }) => {
          const box = layout.states[state] ?? [0, 0, 0, 0];
          return (
            <g key={deadline.name} transform={`translate(${box[0] + box[2] - 2} ${box[1] + 2})`}>
              <DeadlineRing deadline={deadline} radius={17} labelled />
            </g>
          );
        })}
      </svg>
      <div class="chart-tools">
        <button
          type="button"
          title="Closer"
          aria-label="Closer"
          onClick={() => setFrame(zoomed(frame, whole, 0.8, middle(frame)))}
        >
          +
        </button>
        <button
          type="button"
          title="Farther"
          aria-label="Farther"
          onClick={() => setFrame(zoomed(frame, whole, 1.25, middle(frame)))}
        >
          −
        </button>
        <button type="button" title="Whole chart" aria-label="Whole chart" onClick={() => setFrame(whole)}>
          ⤢
        </button>
      </div>
    </div>
  );
};

const middle = (frame: Frame): [number, number] => [frame.x + frame.width / 2, frame.y + frame.height / 2];

/** What a screen reader says of the drawing. */
const describe = (graph: MachineGraph, active: ReadonlySet<string>): string => {
  const leaves = graph.states.filter(
    (state) => active.has(state.id) && !graph.states.some((child) => child.parent === state.id),
  );
  const names = leaves.map((state) => state.id.slice(graph.id.length + 1)).join(', ');
  return `Statechart of ${graph.title || graph.id}${names === '' ? '' : `; active: ${names}`}`;
};
