// Does a machine know an event at all? XState drops what no state handles without a word; the runtime counts it.
import type { AnyStateMachine } from 'xstate';

interface KnownEvents {
  readonly types: ReadonlySet<string>;
  /** `client.*` and `*`, without the star. */
  readonly prefixes: readonly string[];
}

const cache = new WeakMap<AnyStateMachine, KnownEvents>();

const read = (machine: AnyStateMachine): KnownEvents => {
  const types = new Set<string>(allTransitions(machine.root as unknown as StateNodeLike));
  const prefixes = [...types].filter((type) => type.endsWith('*')).map((type) => type.slice(0, -1));
  return { types, prefixes };
};

interface StateNodeLike {
  readonly transitions: ReadonlyMap<string, unknown>;
  readonly states: Record<string, StateNodeLike>;
}

/** XState's own list of events leaves out transitions that do nothing; an event that is ignored on purpose is known. */
const allTransitions = (node: StateNodeLike): string[] => [
  ...node.transitions.keys(),
  ...Object.values(node.states).flatMap(allTransitions),
];

export const knowsEvent = (machine: AnyStateMachine, type: string): boolean => {
  let known = cache.get(machine);
  if (known === undefined) {
    known = read(machine);
    cache.set(machine, known);
  }
  return known.types.has(type) || known.prefixes.some((prefix) => type.startsWith(prefix));
};
