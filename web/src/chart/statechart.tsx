// A statechart, drawn from coordinates made at build time: active states lit, the last transition running along its
// line, deadlines as rings that empty. The same component draws an actor, a moment of its past, and a bare machine.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DeadlineView, MachineGraph } from '../../../src/http/inspect/protocol.ts';
import type { LaidEdge } from '../../build/chart-layout.ts';
import type { Heat } from '../lib/heat.ts';
import { DeadlineRing } from '../parts/deadline-ring.tsx';
import { placeDeadlines } from './deadline-places.ts';
import { around, type Frame, firstFrame, roundedPath, zoomed } from './geometry.ts';
import { Line } from './line.tsx';
import type { Drawing } from './load-chart.ts';
import { Markers } from './markers.tsx';
import { usePanAndZoom } from './pan-and-zoom.ts';
import { StateBox } from './state-box.tsx';

export interface StatechartProps {
  readonly drawing: Drawing;
  readonly active: ReadonlySet<string>;
  /** Transitions to run along now; `moment` changes when they are to run again. */
  readonly taken?: ReadonlySet<string>;
  /** Transitions whose guard said no. */
  readonly refused?: ReadonlySet<string>;
  readonly moment?: number | string;
  readonly deadlines?: readonly DeadlineView[];
  /** Transitions that could be next. */
  readonly possible?: ReadonlySet<string>;
  /** How often each state and transition was taken, to be shown on them. */
  readonly heat?: Heat | undefined;
  readonly onPick?: (picked: { readonly state?: string; readonly transition?: string }) => void;
  readonly picked?: string | undefined;
}

const margin = 10;
const none: ReadonlySet<string> = new Set();
const nowhere = [0, 0, 0, 0] as const;

export const Statechart = (props: StatechartProps) => {
  const { drawing, active, taken = none, refused = none, possible = none, moment = 0, heat } = props;
  const { graph, layout } = drawing;
  const whole: Frame = {
    x: -margin,
    y: -margin,
    width: layout.width + 2 * margin,
    height: layout.height + 2 * margin,
  };
  const [frame, setFrame] = useState(whole);
  const holder = useRef<SVGSVGElement>(null);
  const focus = (): void => {
    const place = holder.current?.getBoundingClientRect();
    const boxes = leavesOf(graph, active).map(({ id }) => layout.states[id] ?? nowhere);
    if (place !== undefined) setFrame(firstFrame(whole, place, around(boxes, whole)));
  };
  /** Where somebody went by themselves, they stay. */
  const isMoved = useRef(false);
  const moveTo = (next: Frame): void => {
    isMoved.current = true;
    setFrame(next);
  };
  const latest = useRef(focus);
  latest.current = focus;
  useLayoutEffect(() => {
    isMoved.current = false;
    const resized = new ResizeObserver(() => {
      if (!isMoved.current) latest.current();
    });
    if (holder.current !== null) resized.observe(holder.current);
    return () => resized.disconnect();
  }, [layout.sha]);
  usePanAndZoom(holder, frame, whole, moveTo);
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
    <div class={`chart ${heat === undefined ? '' : 'heated'}`}>
      <svg
        ref={holder}
        style={{ aspectRatio: `${whole.width} / ${whole.height}` }}
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
            box={layout.states[state.id] ?? nowhere}
            isActive={active.has(state.id)}
            isPicked={props.picked === state.id}
            onPick={() => props.onPick?.({ state: state.id })}
            rowClass={stateOfLine}
            heat={heat}
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
            heat={heat}
            onPick={(transition) => props.onPick?.({ transition })}
          />
        ))}
        {placeDeadlines(graph, active, props.deadlines ?? []).map(({ deadline, state }) => {
          const box = layout.states[state] ?? nowhere;
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
          onClick={() => moveTo(zoomed(frame, whole, 0.8, middle(frame)))}
        >
          +
        </button>
        <button
          type="button"
          title="Farther"
          aria-label="Farther"
          onClick={() => moveTo(zoomed(frame, whole, 1.25, middle(frame)))}
        >
          −
        </button>
        <button type="button" title="Active states" aria-label="Active states" onClick={focus}>
          ◎
        </button>
        <button type="button" title="Whole chart" aria-label="Whole chart" onClick={() => moveTo(whole)}>
          ⤢
        </button>
      </div>
    </div>
  );
};

const middle = (frame: Frame): [number, number] => [frame.x + frame.width / 2, frame.y + frame.height / 2];

const leavesOf = (graph: MachineGraph, active: ReadonlySet<string>): MachineGraph['states'] =>
  graph.states.filter(
    (state) => active.has(state.id) && !graph.states.some((child) => child.parent === state.id),
  );

/** What a screen reader says of the drawing. */
const describe = (graph: MachineGraph, active: ReadonlySet<string>): string => {
  const names = leavesOf(graph, active)
    .map((state) => state.id.slice(graph.id.length + 1))
    .join(', ');
  return `Statechart of ${graph.title || graph.id}${names === '' ? '' : `; active: ${names}`}`;
};
