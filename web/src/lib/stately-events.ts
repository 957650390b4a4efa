// A recording as the messages of `@statelyai/inspect` 0.7: one actor, then an event and a snapshot for each transition,
// in the order they happened. What reads that protocol can play it. Pure.
import type { DiffEntry, JsonValue, MachineGraph } from '../../../src/http/inspect/protocol.ts';
import type { Recording } from './recording.ts';
import { xstateConfigOf } from './xstate-config.ts';

const version = '0.7.2';

export interface StatelyEvent {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
  readonly _version: string;
  readonly rootId: string;
  readonly sessionId: string;
  /** Milliseconds, as text. */
  readonly createdAt: string;
  readonly id: null;
  readonly name?: string;
  /** The machine's configuration as JSON text. */
  readonly definition?: string;
  readonly event?: JsonValue;
  readonly snapshot?: { readonly status: string; readonly value: JsonValue; readonly context: JsonValue };
}

export const statelyEventsOf = (
  { actor, view, frames }: Recording,
  graph: MachineGraph,
): readonly StatelyEvent[] => {
  const contexts = contextsBefore(
    view.context,
    frames.map(({ diff }) => diff),
  );
  const message = (type: StatelyEvent['type'], atMs: number, rest: Partial<StatelyEvent>): StatelyEvent => ({
    type,
    _version: version,
    rootId: actor,
    sessionId: actor,
    createdAt: String(Math.floor(atMs)),
    id: null,
    ...rest,
  });
  const snapshot = (value: JsonValue, index: number) => ({
    snapshot: { status: 'active', value, context: contexts[index] ?? view.context },
  });
  const first = frames[0];
  return [
    message('@xstate.actor', first?.atMs ?? view.nowMs, {
      name: actor,
      definition: JSON.stringify(xstateConfigOf(graph)),
      ...snapshot(first?.from ?? view.row.value, 0),
    }),
    ...frames.flatMap(({ atMs, event, to }, index) => [
      message('@xstate.event', atMs, { event }),
      message('@xstate.snapshot', atMs, { event, ...snapshot(to, index + 1) }),
    ]),
  ];
};

/** The context before each transition, told from the last one backwards by what each changed. */
const contextsBefore = (last: JsonValue, diffs: readonly (readonly DiffEntry[])[]): readonly JsonValue[] => {
  const contexts = [last];
  for (const diff of [...diffs].reverse()) {
    const later = contexts.at(-1) ?? last;
    contexts.push(
      diff.reduce((context, { path, before }) => withValue(context, path.split('.'), before), later),
    );
  }
  return contexts.reverse();
};

/** A copy in which one place, a path of keys, holds another value. */
const withValue = (value: JsonValue, [key, ...rest]: readonly string[], put: JsonValue): JsonValue => {
  if (key === undefined) return put;
  const inside = typeof value === 'object' && value !== null ? value : {};
  if (Array.isArray(inside))
    return Object.assign([...inside], {
      [key]: withValue((inside as JsonValue[])[Number(key)] ?? null, rest, put),
    });
  return { ...inside, [key]: withValue((inside as Record<string, JsonValue>)[key] ?? null, rest, put) };
};
