// The agent's connection machine: its connection to one of the backends.
//   disconnected  waits for the request to connect
//   connecting    waits for the result of the handshake
//   connected     waits for the end of the connection
//   backingOff    waits until the next attempt is due
//   stopped       (final)
// Attempts go through the backends in the given order. Only a round in which all of them failed makes the wait longer:
// of backends that stand by for each other, one serves and the others refuse. After a good connection the first attempt
// is immediate; after a very short one it waits, too, so that the agent does not reconnect in a tight loop.
import { assign, emit, setup } from 'xstate';
import { minGoodLineMs } from '../limits.ts';
import { type BackOff, isRoundOver, nextWaitMs, waitBeforeNextMs } from './back-off-rule.ts';

export interface AgentConnectionContext {
  readonly urls: readonly string[];
  readonly backOff: BackOff;
  /** Number of attempts; also selects the next backend. */
  readonly attempts: number;
  /** The next wait, before it is clamped. */
  readonly waitMs: number;
  readonly retryAtMs: number | null;
  readonly connectedAtMs: number | null;
  readonly lastError: string | null;
}

/** `random` is in [0, 1); `askedMs` is the wait that the backend asked for, if any. */
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

interface AgentConnectionInput {
  /** At least one, in the order of attempts. */
  readonly urls: readonly string[];
  readonly backOff: BackOff;
}

const waited = (
  context: AgentConnectionContext,
  fact: AgentConnectionFact,
): Partial<AgentConnectionContext> => {
  if (fact.type !== 'line.refused' && fact.type !== 'line.ended') return {};
  const asked = fact.type === 'line.refused' ? (fact.askedMs ?? 0) : 0;
  return {
    retryAtMs: fact.nowMs + Math.max(waitBeforeNextMs(context, fact.random), asked),
    waitMs: isRoundOver(context) ? nextWaitMs(context.waitMs, context.backOff, fact.random) : context.waitMs,
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
  description: 'The connection of an agent to one of its backends.',
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
      'start.requested': 'The agent starts to connect.',
      'line.opened': 'A backend accepted the handshake.',
      'line.refused': 'No backend answered at that address, or it rejected the handshake.',
      'line.ended': 'The connection failed or was closed.',
      'deadline.reached': 'The next attempt is due.',
      'stop.requested': 'The agent stops.',
    },
  },
  states: {
    disconnected: {
      description: 'The agent has not started to connect.',
      on: { 'start.requested': dialing, 'stop.requested': 'stopped' },
    },
    connecting: {
      description: 'The handshake with a backend is in progress.',
      on: {
        'line.opened': { target: 'connected', actions: 'noteOpened' },
        'line.refused': waiting,
        'stop.requested': { target: 'stopped', actions: 'close' },
      },
    },
    connected: {
      description: 'Keepalives, events and check requests are exchanged.',
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
    stopped: { type: 'final', description: 'The agent closed its connection.' },
  },
});
