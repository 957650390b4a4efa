// A small machine for the tests of the runtime: it counts, and it fails on request in every place an actor can fail.
import { assign, emit, setup } from 'xstate';
import type {
  ActorMessage,
  Behaviour,
  ChildSpec,
  LiveActor,
  Origin,
  Receipt,
  SupervisorSpec,
} from '../../../src/actors/runtime/contract.ts';
import { createRuntime, createSupervisor, type Runtime } from '../../../src/actors/runtime/runtime.ts';
import type { Supervisor } from '../../../src/actors/runtime/supervision/supervisor.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';

interface CounterInput {
  readonly failsAtStart?: boolean;
}

type CounterEvent =
  | { type: 'count'; by?: number }
  | { type: 'boom' }
  | { type: 'boom.assign' }
  | { type: 'boom.perform' }
  | { type: 'persist' }
  | { type: 'wait'; atMs: number; forgiving?: boolean }
  | { type: 'unwait' }
  | { type: 'deadline.reached'; name: string; nowMs: number }
  | { type: 'effects'; names: readonly string[] }
  | { type: 'ignored' }
  | { type: 'finish' };

export type CounterEffect =
  | { type: 'boom' }
  | { type: 'persist'; count: number }
  | { type: 'wait'; atMs: number; forgiving: boolean }
  | { type: 'unwait' }
  | { type: 'named'; name: string };

const counterMachine = setup({
  types: {
    context: {} as { count: number; reached: readonly string[] },
    events: {} as CounterEvent,
    emitted: {} as CounterEffect,
    input: {} as CounterInput,
  },
  actions: {
    add: assign({
      count: ({ context, event }) => context.count + (event.type === 'count' ? (event.by ?? 1) : 0),
    }),
    throwError: () => {
      throw new Error('boom');
    },
    failToAdd: assign(() => {
      throw new Error('boom in context');
    }),
    emitBoom: emit({ type: 'boom' }),
    persist: emit(({ context }) => ({ type: 'persist' as const, count: context.count })),
    wait: emit(({ event }) => ({
      type: 'wait' as const,
      atMs: event.type === 'wait' ? event.atMs : 0,
      forgiving: event.type === 'wait' && event.forgiving === true,
    })),
    unwait: emit({ type: 'unwait' }),
    noteDeadline: assign({
      reached: ({ context, event }) =>
        event.type === 'deadline.reached' ? [...context.reached, event.name] : context.reached,
    }),
    emitFirst: emit({ type: 'named', name: 'first' }),
    emitSecond: emit({ type: 'named', name: 'second' }),
  },
  guards: { isNever: () => false },
}).createMachine({
  id: 'counter',
  context: ({ input }) => {
    if (input?.failsAtStart === true) throw new Error('no start');
    return { count: 0, reached: [] };
  },
  initial: 'counting',
  states: {
    counting: {
      on: {
        count: { actions: 'add' },
        boom: { actions: ['emitFirst', 'throwError'] },
        'boom.assign': { actions: 'failToAdd' },
        'boom.perform': { actions: 'emitBoom' },
        persist: { actions: ['add', 'persist'] },
        wait: { actions: 'wait' },
        unwait: { actions: 'unwait' },
        'deadline.reached': { actions: 'noteDeadline' },
        effects: { actions: ['emitFirst', 'emitSecond'] },
        ignored: { guard: 'isNever', target: 'finished' },
        finish: 'finished',
      },
    },
    finished: { type: 'final' },
  },
});

export interface CounterOptions {
  readonly begin?: () => Origin | Promise<Origin>;
  readonly capacity?: number;
  readonly overflow?: 'refuse' | 'dropOldest' | 'coalesce';
  readonly end?: NonNullable<Behaviour['end']>;
  readonly firstMessage?: () => ActorMessage | undefined;
  readonly onPersist?: (settle: Receipt, count: number) => void;
  readonly onNamed?: (name: string, actor: LiveActor) => void;
  readonly onDeadline?: NonNullable<Behaviour['onDeadline']>;
}

export const counterBehaviour = (options: CounterOptions = {}): Behaviour<CounterEffect> => ({
  machine: counterMachine,
  mailbox: { capacity: options.capacity ?? 1_000, overflow: options.overflow ?? 'refuse' },
  begin: options.begin ?? (() => ({ input: {} })),
  ...(options.end && { end: options.end }),
  ...(options.firstMessage && { firstMessage: options.firstMessage }),
  ...(options.onDeadline && { onDeadline: options.onDeadline }),
  perform(effect, actor) {
    if (effect.type === 'boom') throw new Error('boom while performing');
    if (effect.type === 'persist') options.onPersist?.(actor.holdReceipt(), effect.count);
    if (effect.type === 'wait') actor.setDeadline('wait', effect.atMs, { forgiving: effect.forgiving });
    if (effect.type === 'unwait') actor.clearDeadline('wait');
    if (effect.type === 'named') options.onNamed?.(effect.name, actor);
  },
});

export const counterSpec = (
  id: string,
  spec: Partial<Omit<ChildSpec, 'id' | 'behaviour'>> = {},
  options: CounterOptions = {},
): ChildSpec => ({ id, restart: 'permanent', ...spec, behaviour: counterBehaviour(options) });

export const countOf = (runtime: Runtime, id: string): number | undefined =>
  (runtime.registry.peek(id) as unknown as { context: { count: number } } | undefined)?.context.count;

export interface Stage {
  readonly clock: SimulatedClock;
  readonly runtime: Runtime;
  readonly root: Supervisor;
  /** Types of the facts told so far, as `type actor`. */
  readonly facts: string[];
  readonly exits: string[];
}

/** A runtime on a simulated clock with one supervisor; no jitter. */
export const stage = (spec: Partial<SupervisorSpec> = {}): Stage => {
  const clock = createSimulatedClock();
  const runtime = createRuntime({ clock, random: () => 0 });
  const facts: string[] = [];
  const exits: string[] = [];
  runtime.facts.listen((fact) => facts.push(`${fact.type} ${fact.actor}`));
  const root = createSupervisor(
    runtime,
    { id: 'root', strategy: 'one_for_one', ...spec },
    { onExit: (reason) => exits.push(reason.type) },
  );
  clock.runTurns();
  return { clock, runtime, root, facts, exits };
};
