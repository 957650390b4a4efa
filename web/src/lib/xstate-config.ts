// A machine as the JSON configuration that XState's `createMachine` and Stately's editor import. Guards, actions and
// actors are there by name: who imports it gives them bodies with `setup()`. Pure.
import type { GraphState, GraphTransition, MachineGraph } from '../../../src/http/inspect/protocol.ts';

interface ConfigTransition {
  readonly target?: string | readonly string[];
  readonly guard?: string;
  readonly actions?: readonly string[];
  readonly reenter?: true;
  readonly description?: string;
}
type ByKey = Readonly<Record<string, readonly ConfigTransition[]>>;

interface StateConfig {
  readonly type?: 'parallel' | 'final' | 'history';
  readonly initial?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly entry?: readonly string[];
  readonly exit?: readonly string[];
  readonly invoke?: readonly { readonly id: string; readonly src: string }[];
  readonly on?: ByKey;
  readonly after?: ByKey;
  readonly always?: readonly ConfigTransition[];
  readonly onDone?: readonly ConfigTransition[];
  readonly states?: Readonly<Record<string, StateConfig>>;
}

export interface MachineConfig extends StateConfig {
  readonly id: string;
  /** One line about each event. */
  readonly meta: { readonly events: MachineGraph['events'] };
}

export const xstateConfigOf = (graph: MachineGraph): MachineConfig => {
  const root = graph.states.find(({ parent }) => parent === null);
  if (root === undefined) throw new Error(`the machine ${graph.id} has no root state`);
  return { id: graph.id, meta: { events: graph.events }, ...stateConfig(graph, root) };
};

const stateConfig = (graph: MachineGraph, state: GraphState): StateConfig => {
  const children = graph.states.filter(({ parent }) => parent === state.id);
  const leaving = graph.transitions.filter(({ source }) => source === state.id);
  const of = (...kinds: readonly GraphTransition['kind'][]) =>
    leaving.filter(({ kind }) => kinds.includes(kind));
  const ownDone = `xstate.done.state.${state.id}`;
  return {
    ...(state.type === 'atomic' || state.type === 'compound' ? {} : { type: state.type }),
    ...(state.initial === null ? {} : { initial: keyOf(graph, state.initial) }),
    ...(state.description === '' ? {} : { description: state.description }),
    ...filled('tags', state.tags),
    ...filled('entry', state.entry),
    ...filled('exit', state.exit),
    ...filled('invoke', state.invokes),
    ...grouped(
      'on',
      of('event', 'wildcard', 'done', 'error').filter(({ event }) => event !== ownDone),
      ({ event }) => event,
    ),
    ...filled('onDone', leaving.filter(({ event }) => event === ownDone).map(transitionConfig)),
    ...grouped('after', of('after'), ({ label }) => label.replace(/^after /, '')),
    ...filled('always', of('always').map(transitionConfig)),
    ...(children.length === 0
      ? {}
      : { states: Object.fromEntries(children.map((child) => [child.key, stateConfig(graph, child)])) }),
  };
};

const keyOf = (graph: MachineGraph, id: string): string =>
  graph.states.find((state) => state.id === id)?.key ?? id;

const filled = <T>(name: string, values: readonly T[]): object =>
  values.length === 0 ? {} : { [name]: values };

const grouped = (
  name: string,
  transitions: readonly GraphTransition[],
  keyOfOne: (transition: GraphTransition) => string,
): object => {
  const keys = [...new Set(transitions.map(keyOfOne))];
  const entries = keys.map((key) => [
    key,
    transitions.filter((one) => keyOfOne(one) === key).map(transitionConfig),
  ]);
  return keys.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
};

const transitionConfig = (transition: GraphTransition): ConfigTransition => {
  const [target, ...more] = transition.targets.map((id) => `#${id}`);
  return {
    ...(target === undefined ? {} : { target: more.length === 0 ? target : [target, ...more] }),
    ...(transition.guard === '' ? {} : { guard: transition.guard }),
    ...filled('actions', transition.actions),
    ...(transition.reenter ? { reenter: true } : {}),
    ...(transition.description === '' ? {} : { description: transition.description }),
  };
};
