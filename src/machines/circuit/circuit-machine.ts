// The circuit machine: whether calls to one handler go through. A handler that keeps failing is left alone for a while,
// so that its time-outs do not hold up the workers of the others.
//   closed     a call that fails, several times in a row
//   open       the time of the next try
//   halfOpen
//     ready    the one call that tries
//     probing  the outcome
import { assign, emit, setup } from 'xstate';
import { circuitFailures, maxCircuitOpenMs, minCircuitOpenMs } from '../limits.ts';
import type { CircuitContext, CircuitEffect, CircuitFact } from './circuit-facts.ts';

interface CircuitInput {
  readonly name: string;
}

const failed = (context: CircuitContext, fact: CircuitFact): Partial<CircuitContext> =>
  fact.type === 'call.failed' ? { failures: context.failures + 1, lastError: fact.error } : {};

const opened = (context: CircuitContext, fact: CircuitFact): Partial<CircuitContext> => ({
  ...failed(context, fact),
  probeAtMs: fact.nowMs + context.openForMs,
  openForMs: Math.min(context.openForMs * 2, maxCircuitOpenMs),
});

const machine = setup({
  types: {
    context: {} as CircuitContext,
    events: {} as CircuitFact,
    emitted: {} as CircuitEffect,
    input: {} as CircuitInput,
  },
  guards: {
    isOneTooMany: ({ context }) => context.failures + 1 >= circuitFailures,
    isEarly: ({ context, event }) => context.probeAtMs !== null && event.nowMs < context.probeAtMs,
  },
  actions: {
    noteFailure: assign(({ context, event }) => failed(context, event)),
    noteSuccess: assign({ failures: 0 }),
    noteOpen: assign(({ context, event }) => opened(context, event)),
    noteClosed: assign({ failures: 0, openForMs: minCircuitOpenMs, probeAtMs: null, lastError: null }),
    // A probe before its time (the wall clock went back) waits again, but never longer than the longest open time.
    renewProbe: assign(({ context, event }) => ({
      probeAtMs: Math.min(context.probeAtMs ?? event.nowMs, event.nowMs + maxCircuitOpenMs),
    })),
    setProbe: emit(({ context }) => ({ type: 'deadline.set', name: 'probe', atMs: context.probeAtMs ?? 0 })),
    clearProbe: emit({ type: 'deadline.clear', name: 'probe' }),
    tellOpened: emit(({ context }) => ({
      type: 'circuit.opened',
      untilMs: context.probeAtMs ?? 0,
      error: context.lastError ?? '',
    })),
    tellClosed: emit({ type: 'circuit.closed' }),
  },
});

const opening = { target: '#circuit.open', actions: ['noteOpen', 'setProbe', 'tellOpened'] } as const;
const closing = { target: '#circuit.closed', actions: ['noteClosed', 'clearProbe', 'tellClosed'] } as const;

export const circuitMachine = machine.createMachine({
  id: 'circuit',
  initial: 'closed',
  description: 'Whether calls to one handler go through.',
  context: ({ input }) => ({
    name: input.name,
    failures: 0,
    openForMs: minCircuitOpenMs,
    probeAtMs: null,
    lastError: null,
  }),
  meta: {
    events: {
      'call.succeeded': 'A call to the handler went well.',
      'call.failed': 'A call to the handler failed or took too long.',
      'probe.started': 'One call was let through to try whether the handler is back.',
      'probe.abandoned': 'That call ended without telling whether the handler is back.',
      'deadline.reached': 'The handler was left alone long enough.',
      'circuit.reset': 'An operator lets calls through again.',
    },
  },
  states: {
    closed: {
      description: 'Calls go through.',
      on: {
        'call.succeeded': { actions: 'noteSuccess' },
        'call.failed': [{ guard: 'isOneTooMany', ...opening }, { actions: 'noteFailure' }],
      },
    },
    open: {
      description: 'Calls are refused at once; the handler is left alone.',
      on: {
        'deadline.reached': [
          { guard: 'isEarly', actions: ['renewProbe', 'setProbe'] },
          { target: 'halfOpen' },
        ],
        'circuit.reset': closing,
      },
    },
    halfOpen: {
      initial: 'ready',
      description: 'One call may try; the others are refused.',
      on: { 'call.succeeded': closing, 'call.failed': opening, 'circuit.reset': closing },
      states: {
        ready: { description: 'The next call is the try.', on: { 'probe.started': 'probing' } },
        probing: { description: 'The try is under way.', on: { 'probe.abandoned': 'ready' } },
      },
    },
  },
});
