// One state as a box: its name, a lamp when it is active, and the transitions that stay inside it.
import type { GraphState, MachineGraph } from '../../../src/http/inspect/protocol.ts';
import type { Box } from '../../build/chart-layout.ts';
import { type LabelForm, stateLabel, titleHeight } from '../../build/labels.ts';
import type { Heat } from '../lib/heat.ts';
import { HeatMark, heatStyle } from './heat-mark.tsx';
import { onEnter } from './press.ts';
import { Rows, rowsText } from './rows.tsx';

interface StateBoxProps {
  readonly graph: MachineGraph;
  readonly form: LabelForm;
  readonly state: GraphState;
  readonly box: Box;
  readonly isActive: boolean;
  readonly isPicked: boolean;
  readonly onPick: () => void;
  readonly rowClass: (transition: string) => string;
  readonly heat: Heat | undefined;
}

export const StateBox = ({
  graph,
  form,
  state,
  box: [x, y, width, height],
  isActive,
  isPicked,
  onPick,
  rowClass,
  heat,
}: StateBoxProps) => {
  const label = stateLabel(graph, state, form);
  const isGroup = graph.states.some((child) => child.parent === state.id);
  const isRegion = graph.states.some((other) => other.id === state.parent && other.type === 'parallel');
  const kind = [
    state.type,
    isGroup && 'group',
    isRegion && 'region',
    isActive && 'active',
    isPicked && 'picked',
  ];
  /** What stays in the state has no line of its own to be counted on. */
  const counted = [state.id, ...label.rows.flatMap(({ transition }) => transition ?? [])];
  const name = state.type === 'history' ? 'H' : state.key;
  const radius = state.type === 'history' ? height / 2 : isGroup ? 10 : 8;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
    <g
      class={`state ${kind.filter(Boolean).join(' ')}`}
      style={heatStyle(heat, counted)}
      data-state={state.id}
      role="button"
      tabIndex={0}
      aria-label={`${name} ${rowsText(label.rows)}. ${isActive ? 'Active. ' : ''}State ${state.id}. ${state.description}`}
      onClick={onPick}
      onKeyDown={onEnter(onPick)}
    >
      <title>{[state.id, state.description].filter(Boolean).join('\n')}</title>
      <rect x={x} y={y} width={width} height={height} rx={radius} />
      {state.type === 'final' && (
        <rect class="inner" x={x + 3.5} y={y + 3.5} width={width - 7} height={height - 7} rx={radius - 3} />
      )}
      <text class="name" x={x + (isActive && !isGroup ? 26 : 12)} y={y + 18}>
        {`${name} `}
      </text>
      {isActive && !isGroup && <circle class="lamp" cx={x + 15} cy={y + 13.5} r={4} />}
      {label.rows.length > 0 && !isGroup && (
        <line class="rule" x1={x} x2={x + width} y1={y + titleHeight} y2={y + titleHeight} />
      )}
      <Rows rows={label.rows} x={x + 12} y={y + titleHeight + 3} classOf={rowClass} />
      {!isGroup && <HeatMark heat={heat} ids={counted} x={x + width} y={y + height} />}
    </g>
  );
};
