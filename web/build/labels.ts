// The text on boxes and lines, in rows, and the room it needs. The layout reserves what the page then draws: both call
// these functions, so text and room never disagree. Pure; runs at build time and in the page.
// One row a transition, `event [guard]`; what it does is told when it is pointed at, or a chart would be all text.
import type { GraphState, GraphTransition, MachineGraph } from '../../src/http/inspect/protocol.ts';

/** Advance width of one character as a share of the font size, in the widest of the monospaced fonts we name. */
const monoAdvance = 0.605;
const rowFontSize = 11;
export const rowHeight = 15;
const titleFontSize = 13;
export const titleHeight = 26;

/** A longer guard is cut: the whole of it is in the tooltip. */
const maxGuardCharacters = 32;

/** `wide`: event and guard in one row; `tall`: the guard below. A chart uses the form in which it can be drawn larger. */
export type LabelForm = 'wide' | 'tall';

export interface Row {
  readonly event: string;
  /** In brackets; empty when unguarded. */
  readonly guard: string;
  /** Absent on rows that are no transition (entry, exit, invoked work). */
  readonly transition?: string;
}
export interface Label {
  readonly rows: readonly Row[];
  readonly width: number;
  readonly height: number;
}

/** All transitions that share one line. */
export const lineLabel = (transitions: readonly GraphTransition[], form: LabelForm): Label => {
  const rows = transitions.flatMap((transition) => rowsOf(transition, form));
  return { rows, width: widest(rows) + 10, height: rows.length * rowHeight + 4 };
};

/** A state's box: its name, what it does on entry and exit, then the transitions that stay inside it. */
export const stateLabel = (graph: MachineGraph, state: GraphState, form: LabelForm): Label => {
  const staying = graph.transitions.filter((line) => line.source === state.id && line.targets.length === 0);
  const rows: Row[] = [
    ...state.invokes.map((invoke): Row => ({ event: `runs ${invoke.src}`, guard: '' })),
    ...state.entry.map((name): Row => ({ event: `entry / ${name}`, guard: '' })),
    ...state.exit.map((name): Row => ({ event: `exit / ${name}`, guard: '' })),
    ...staying.flatMap((transition) => rowsOf(transition, form)),
  ];
  const title = state.key.length * titleFontSize * 0.64 + 44;
  const width = Math.max(state.type === 'history' ? 34 : 84, title, widest(rows) + 24);
  return {
    rows,
    width: Math.ceil(width),
    height: titleHeight + (rows.length === 0 ? 6 : rows.length * rowHeight + 10),
  };
};

const rowsOf = (transition: GraphTransition, form: LabelForm): Row[] => {
  const { id, label } = transition;
  const guard = transition.guard === '' ? '' : `[${cut(transition.guard)}]`;
  if (form === 'wide' || guard === '') return [{ event: label, guard, transition: id }];
  return [
    { event: label, guard: '', transition: id },
    { event: '', guard, transition: id },
  ];
};

const cut = (text: string): string =>
  text.length <= maxGuardCharacters ? text : `${text.slice(0, maxGuardCharacters - 1)}…`;

const charactersOf = ({ event, guard }: Row): number => event.length + (guard === '' ? 0 : guard.length + 1);

const widest = (rows: readonly Row[]): number =>
  Math.ceil(Math.max(0, ...rows.map(charactersOf)) * rowFontSize * monoAdvance);
