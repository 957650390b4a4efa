// The silence machine: the time in which one silence holds.
//   unset       its times
//   pending     its begin, or its next window
//   active      its end: by time, by the resolution of an incident it matched, or by hand; or the end of its window
//   expired     (final) nothing
import { assign, emit, setup } from 'xstate';
import { phaseAt } from '../../model/silence/silencing.ts';
import type { SilenceContext, SilenceEffect, SilenceEnd, SilenceFact } from './silence-facts.ts';
import { nextLookMs } from './silence-time-rule.ts';

export interface SilenceInput {
  readonly namespace: string;
  readonly name: string;
}

type Defined = Extract<SilenceFact, { readonly type: 'silence.defined' }>;

const times = ({ beginMs, endMs, windows, expireOnResolve }: Defined) => ({
  beginMs,
  endMs,
  windows: windows ?? [],
  expireOnResolve,
});

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
    isPending: ({ context, event }) => phaseAt(context, event.nowMs) === 'pending',
    isTimeOver: ({ context, event }) => phaseAt(context, event.nowMs) === 'over',
    endsOnResolve: ({ context }) => context.expireOnResolve,
  },
  actions: {
    define: assign(({ event }) => (event.type === 'silence.defined' ? times(event) : {})),
    noteEnd: assign(({ event }) => ({ end: endOf(event) })),
    lookAgain: emit(({ context, event }) => {
      const atMs = nextLookMs(context, event.nowMs);
      return atMs === null
        ? { type: 'deadline.clear', name: 'silence' }
        : { type: 'deadline.set', name: 'silence', atMs };
    }),
    stopWaiting: emit({ type: 'deadline.clear', name: 'silence' }),
    tellBegan: emit({ type: 'silence.began' }),
    tellPaused: emit({ type: 'silence.paused' }),
    tellEnded: emit(({ event }) => ({ type: 'silence.ended', why: endOf(event) })),
  },
});

const ending = { target: '#silence.expired', actions: ['noteEnd', 'stopWaiting', 'tellEnded'] } as const;
const defining = [
  { guard: 'isAlreadyOver', ...ending },
  { guard: 'isAhead', target: '#silence.pending', actions: ['define', 'lookAgain'] },
  { target: '#silence.active', actions: ['define', 'lookAgain', 'tellBegan'] },
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
    windows: [],
    expireOnResolve: false,
    end: null,
  }),
  meta: {
    events: {
      'silence.defined': 'The silence was made or changed, or is back after a restart.',
      'deadline.reached': 'The silence begins, a window of it opens or closes, or its time is over.',
      'incident.resolved': 'An incident it matched has resolved.',
      'silence.cleared': 'Somebody ended the silence.',
    },
  },
  states: {
    unset: { description: 'Its times are not known yet.', on: { 'silence.defined': defining } },
    pending: {
      description: 'It begins later, or waits for its next window.',
      on: {
        'silence.defined': defining,
        'deadline.reached': [
          { guard: 'isTimeOver', ...ending },
          { guard: 'isPending', actions: 'lookAgain' },
          { target: 'active', actions: ['lookAgain', 'tellBegan'] },
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
          { guard: 'isPending', target: 'pending', actions: ['lookAgain', 'tellPaused'] },
          { actions: 'lookAgain' },
        ],
        'incident.resolved': { guard: 'endsOnResolve', ...ending },
        'silence.cleared': ending,
      },
    },
    expired: { type: 'final', description: 'It is over.' },
  },
});
