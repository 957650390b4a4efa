// Why an event moves a machine, or why it does not: every transition it could take from here, with what each guard says.
// Guards are questions that change nothing, so they can be asked once more; XState keeps their answers to itself.
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { activeIn, type Chart, type ChartNode, chartOf, type Line, linesFor } from './chart.ts';
import { decided } from './decision.ts';
import type { Question } from './guard.ts';
import { historiesOf, withoutConflicts } from './moves.ts';
import { nameOfGuard } from './names.ts';

/** One transition an event could take, and what its guard says. */
export interface Candidate {
  /** The line's id. */
  readonly id: string;
  /** Empty when unguarded. */
  readonly guard: string;
  readonly verdict: 'yes' | 'no' | 'threw';
  /** What the guard threw. */
  readonly why?: string;
  readonly taken: boolean;
}

interface Asked {
  readonly line: Line;
  readonly verdict: Candidate['verdict'];
  readonly why?: string;
}

/** Throws when it is asked where the decision that guards share throws. */
type Ask = () => Question;

const questionOf = (machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: AnyEventObject): Ask => {
  let question: Question | undefined;
  return () => {
    question ??= { context: snapshot.context, event: decided(machine, snapshot, event), snapshot };
    return question;
  };
};

/** A guard that throws is an answer of its own and never escapes. */
const ask = (line: Line, question: Ask): Asked => {
  if (line.guard === undefined) return { line, verdict: 'yes' };
  try {
    return { line, verdict: line.guard(question()) ? 'yes' : 'no' };
  } catch (error) {
    return { line, verdict: 'threw', why: messageOf(error) };
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The active states in the order in which they are asked: region by region, inner states before outer ones. */
const inAskingOrder = (node: ChartNode, value: unknown): ChartNode[] => {
  if (typeof value === 'string')
    return [...(node.states[value] === undefined ? [] : [node.states[value]]), node];
  const inner = Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, below]) => {
    const state = node.states[key];
    return state === undefined ? [] : inAskingOrder(state, below);
  });
  return [...inner, node];
};

/** From the innermost states outwards the first whose guard agrees. Null when a guard that is asked throws: a crash. */
const enabledOf = (node: ChartNode, value: unknown, asked: readonly Asked[]): Line[] | null => {
  const inner: Line[] = [];
  const below =
    typeof value === 'string'
      ? [[value, {}] as const]
      : Object.entries((value ?? {}) as Record<string, unknown>);
  for (const [key, rest] of below) {
    const state = node.states[key];
    const found = state === undefined ? [] : enabledOf(state, rest, asked);
    if (found === null) return null;
    inner.push(...found);
  }
  if (inner.length > 0) return inner;
  const first = asked.find(({ line, verdict }) => line.source === node && verdict !== 'no');
  if (first?.verdict === 'threw') return null;
  return first === undefined ? [] : [first.line];
};

const takenOf = (chart: Chart, snapshot: AnyMachineSnapshot, asked: readonly Asked[]): ReadonlySet<Line> => {
  const enabled = enabledOf(chart.root, snapshot.value, asked) ?? [];
  const active = activeIn(chart, snapshot);
  return new Set(withoutConflicts(chart, enabled, active, historiesOf(snapshot)));
};

/**
 * The transitions that name `event` and leave an active state, in the order in which they are asked. `taken` marks those
 * that happen first; eventless ones may follow (dry-run.ts).
 */
export const explain = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: AnyEventObject,
): Candidate[] => {
  const chart = chartOf(machine);
  const question = questionOf(machine, snapshot, event);
  const lines = inAskingOrder(chart.root, snapshot.value).flatMap((node) => linesFor(node, event.type));
  const asked = lines.map((line) => ask(line, question));
  const taken = takenOf(chart, snapshot, asked);
  return asked.map(({ line, verdict, why }) => ({
    id: line.id,
    guard: nameOfGuard(line.ref.guard),
    verdict,
    ...(why === undefined ? {} : { why }),
    taken: taken.has(line),
  }));
};

/** Event types with a transition from here, and the ids of its lines; whether a guard agrees is for `explain` to say. */
export const nextEvents = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
): readonly { readonly event: string; readonly transitions: readonly string[] }[] => {
  const found = new Map<string, string[]>();
  for (const node of inAskingOrder(chartOf(machine).root, snapshot.value))
    for (const [event, lines] of node.on)
      found.set(event, [...(found.get(event) ?? []), ...lines.map(({ id }) => id)]);
  return [...found].map(([event, transitions]) => ({ event, transitions }));
};
