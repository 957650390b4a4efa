// The silence machine: the time in which one silence holds.
//   unset       its times
//   pending     its begin
//   active      its end: by time, by the resolution of an incident it matched, or by hand
//   expired     (final) nothing
import { assign, emit, setup } from 'xstate';
import { phaseAt } from '../../model/silencing.ts';
import type { SilenceContext, SilenceEffect, SilenceEnd, SilenceFact } from './silence-facts.ts';

export interface SilenceInput {
  readonly namespace: string;
  readonly name: string;
}

type Defined = Extract<SilenceFact, { readonly type: 'silence.defined' }>;

const times = ({ beginMs, endMs, expireOnResolve }: Defined) => ({ beginMs, endMs, expireOnResolve });

const endOf = ({ type }: SilenceFact): SilenceEnd => {
  if (type === 'incident.resolved') return 'resolved';
  return type === 'silence.cleared' ? 'cleared' : 'timeOver';
};

const machine = setup({
  types: {
    context: {} as SilenceContext,
    events: {} as SilenceFact,
    emitted: {} as SilenceEffect,
    input: {} as SilenceInput,
  },
  guards: {
    isAlreadyOver: ({ event }) => event.type === 'silence.defined' && phaseAt(event, event.nowMs) === 'over',
    isAhead: ({ event }) => event.type === 'silence.defined' && phaseAt(event, event.nowMs) === 'pending',
    isBeforeBegin: ({ context, event }) => phaseAt(context, event.nowMs) === 'pending',
    isTimeOver: ({ context, event }) => phaseAt(context, event.nowMs) === 'over',
    endsOnResolve: ({ context }) => context.expireOnResolve,
    hasEnd: ({ context, event }) =>
      event.type === 'silence.defined' ? event.endMs !== null : context.endMs !== null,
  },
  actions: {
    define: assign(({ event }) => (event.type === 'silence.defined' ? times(event) : {})),
    noteEnd: assign(({ event }) => ({ end: endOf(event) })),
    awaitBegin: emit(({ context }) => ({ type: 'deadline.set', name: 'silence', atMs: context.beginMs })),
    awaitEnd: emit(({ context }) => ({
      type: 'deadline.set',
      name: 'silence',
      atMs: context.endMs ?? 0,
    })),
    stopWaiting: emit({ type: 'deadline.clear', name: 'silence' }),
    tellBegan: emit({ type: 'silence.began' }),
    tellEnded: emit(({ event }) => ({ type: 'silence.ended', why: endOf(event) })),
  },
});

const ending = { target: '#silence.expired', actions: ['noteEnd', 'stopWaiting', 'tellEnded'] } as const;
const defining = [
  { guard: 'isAlreadyOver', ...ending },
  { guard: 'isAhead', target: '#silence.pending', actions: ['define', 'awaitBegin'] },
  { guard: 'hasEnd', target: '#silence.active', actions: ['define', 'awaitEnd', 'tellBegan'] },
  { target: '#silence.active', actions: ['define', 'stopWaiting', 'tellBegan'] },
] as const;

export const silenceMachine = machine.createMachine({
  id: 'silence',
  initial: 'unset',
  description: 'The time in which one silence holds.',
  context: ({ input }) => ({
    namespace: input.namespace,
    name: input.name,
    beginMs: 0,
    endMs: null,
    expireOnResolve: false,
    end: null,
  }),
  meta: {
    events: {
      'silence.defined': 'The silence was made or changed, or is back after a restart.',
      'deadline.reached': 'The silence begins, or its time is over.',
      'incident.resolved': 'An incident it matched has resolved.',
      'silence.cleared': 'Somebody ended the silence.',
    },
  },
  states: {
    unset: { description: 'Its times are not known yet.', on: { 'silence.defined': defining } },
    pending: {
      description: 'It begins later.',
      on: {
        'silence.defined': defining,
        'deadline.reached': [
          { guard: 'isBeforeBegin', actions: 'awaitBegin' },
          { guard: 'isTimeOver', ...ending },
          { guard: 'hasEnd', target: 'active', actions: ['awaitEnd', 'tellBegan'] },
          { target: 'active', actions: 'tellBegan' },
        ],
        'silence.cleared': ending,
      },
    },
    active: {
      description: 'Events it matches are silenced.',
      on: {
        'silence.defined': defining,
        'deadline.reached': [
          { guard: 'isTimeOver', ...ending },
          { guard: 'hasEnd', actions: 'awaitEnd' },
        ],
        'incident.resolved': { guard: 'endsOnResolve', ...ending },
        'silence.cleared': ending,
      },
    },
    expired: { type: 'final', description: 'It is over.' },
  },
});
