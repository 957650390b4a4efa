// The agent's connection machine: its line to one of the backends (agent sheet 1.6 to 1.8).
//   disconnected  the wish to be connected
//   connecting    the answer to the handshake
//   connected     the end of the line
//   backingOff    the time of the next attempt
//   stopped       (final) nothing
// Every attempt goes to the next backend in the order given. The first attempt after a good line is immediate, unless
// that line was so short that trying at once would be a tight loop.
import { assign, emit, setup } from 'xstate';
import { minGoodLineMs } from '../limits.ts';
import { type BackOff, clampWaitMs, nextWaitMs } from './back-off-rule.ts';

export interface AgentConnectionContext {
  readonly urls: readonly string[];
  readonly backOff: BackOff;
  /** Attempts made so far; also says which backend is next. */
  readonly attempts: number;
  /** The next wait, before it is clamped. */
  readonly waitMs: number;
  readonly retryAtMs: number | null;
  readonly connectedAtMs: number | null;
  readonly lastError: string | null;
}

/** `random` is in [0, 1); `askedMs` is how long the backend asked to be left alone, if it did. */
export type AgentConnectionFact =
  | { readonly type: 'start.requested'; readonly nowMs: number }
  | { readonly type: 'line.opened'; readonly nowMs: number }
  | {
      readonly type: 'line.refused';
      readonly nowMs: number;
      readonly random: number;
      readonly why: string;
      readonly askedMs?: number;
    }
  | { readonly type: 'line.ended'; readonly nowMs: number; readonly random: number; readonly why: string }
  | { readonly type: 'deadline.reached'; readonly name: 'retry'; readonly nowMs: number }
  | { readonly type: 'stop.requested'; readonly nowMs: number };

export type AgentConnectionEffect =
  | { readonly type: 'dial'; readonly url: string }
  | { readonly type: 'line.close' }
  | { readonly type: 'deadline.set'; readonly name: 'retry'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'retry' };

export interface AgentConnectionInput {
  /** At least one, in the order they are tried in. */
  readonly urls: readonly string[];
  readonly backOff: BackOff;
}

const waited = (
  context: AgentConnectionContext,
  fact: AgentConnectionFact,
): Partial<AgentConnectionContext> => {
  if (fact.type !== 'line.refused' && fact.type !== 'line.ended') return {};
  const { backOff, waitMs } = context;
  const asked = fact.type === 'line.refused' ? (fact.askedMs ?? 0) : 0;
  return {
    retryAtMs: fact.nowMs + Math.max(clampWaitMs(waitMs, backOff), asked),
    waitMs: nextWaitMs(waitMs, backOff, fact.random),
    connectedAtMs: null,
    lastError: fact.why,
  };
};

const machine = setup({
  types: {
    context: {} as AgentConnectionContext,
    events: {} as AgentConnectionFact,
    emitted: {} as AgentConnectionEffect,
    input: {} as AgentConnectionInput,
  },
  guards: {
    wasGood: ({ context, event }) =>
      context.connectedAtMs !== null && event.nowMs - context.connectedAtMs >= minGoodLineMs,
  },
  actions: {
    noteAttempt: assign(({ context }) => ({ attempts: context.attempts + 1, retryAtMs: null })),
    noteOpened: assign(({ event }) => ({ connectedAtMs: event.nowMs, lastError: null })),
    noteGoodEnd: assign(({ context, event }) => ({
      connectedAtMs: null,
      waitMs: context.backOff.minMs,
      lastError: event.type === 'line.ended' ? event.why : null,
    })),
    noteWait: assign(({ context, event }) => waited(context, event)),
    dial: emit(({ context: { urls, attempts } }) => ({
      type: 'dial',
      url: urls[attempts % urls.length] ?? '',
    })),
    close: emit({ type: 'line.close' }),
    setRetry: emit(({ context }) => ({ type: 'deadline.set', name: 'retry', atMs: context.retryAtMs ?? 0 })),
    clearRetry: emit({ type: 'deadline.clear', name: 'retry' }),
  },
});

const dialing = { target: 'connecting', actions: ['dial', 'noteAttempt'] } as const;
const waiting = { target: 'backingOff', actions: ['noteWait', 'setRetry'] } as const;

export const agentConnectionMachine = machine.createMachine({
  id: 'agentConnection',
  initial: 'disconnected',
  description: 'The line of an agent to one of its backends.',
  context: ({ input }) => ({
    urls: input.urls,
    backOff: input.backOff,
    attempts: 0,
    waitMs: input.backOff.minMs,
    retryAtMs: null,
    connectedAtMs: null,
    lastError: null,
  }),
  meta: {
    events: {
      'start.requested': 'The agent wants to be connected.',
      'line.opened': 'A backend accepted the handshake.',
      'line.refused': 'No backend answered there, or it refused.',
      'line.ended': 'The line broke or was closed.',
      'deadline.reached': 'It is time for the next attempt.',
      'stop.requested': 'The agent stops.',
    },
  },
  states: {
    disconnected: {
      description: 'Nobody asked for a line yet.',
      on: { 'start.requested': dialing, 'stop.requested': 'stopped' },
    },
    connecting: {
      description: 'A backend was dialled and has not answered yet.',
      on: {
        'line.opened': { target: 'connected', actions: 'noteOpened' },
        'line.refused': waiting,
        'stop.requested': { target: 'stopped', actions: 'close' },
      },
    },
    connected: {
      description: 'Keepalives, events and check requests go over the line.',
      on: {
        'line.ended': [
          { guard: 'wasGood', target: 'connecting', actions: ['noteGoodEnd', 'dial', 'noteAttempt'] },
          waiting,
        ],
        'stop.requested': { target: 'stopped', actions: 'close' },
      },
    },
    backingOff: {
      description: 'Waits before the next attempt.',
      on: {
        'deadline.reached': dialing,
        'stop.requested': { target: 'stopped', actions: 'clearRetry' },
      },
    },
    stopped: { type: 'final', description: 'The agent said goodbye.' },
  },
});
