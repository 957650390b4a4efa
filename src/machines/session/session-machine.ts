// The session machine: one connection of one agent, from the upgrade to the close. Its frames do not pass through here; it
// decides when the connection is closed, why it ended, and whether the agent's entity is told.
//   establishing  the agent's configuration and subscriptions
//   active        the end of the connection
//   draining      the same, after the backend asked the agent to go
//   closed        nothing more
import { assign, emit, setup } from 'xstate';
import type { SessionContext, SessionEffect, SessionFact } from './session-facts.ts';

interface SessionInput {
  readonly namespace: string;
  readonly agent: string;
  readonly user: string;
  readonly connectedAtMs: number;
}

const machine = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionFact,
    emitted: {} as SessionEffect,
    input: {} as SessionInput,
  },
  guards: {
    saidStopped: ({ event }) => event.type === 'connection.closed' && event.isStopped === true,
  },
  actions: {
    noteEstablished: assign(({ event }) => ({ establishedAtMs: event.nowMs })),
    noteReason: assign(({ event }) => ('reason' in event ? { reason: event.reason } : {})),
    noteClosed: assign(({ context, event }) => ({
      closedAtMs: event.nowMs,
      reason: context.reason ?? ('reason' in event ? event.reason : null),
    })),
    closeConnection: emit(({ event }) => ({
      type: 'connection.close',
      reason: 'reason' in event ? event.reason : '',
    })),
    tellStopped: emit({ type: 'agent.stopped' }),
  },
});

const closing = [
  { guard: 'saidStopped', target: 'closed', actions: ['noteClosed', 'tellStopped'] },
  { target: 'closed', actions: 'noteClosed' },
] as const;
const leaving = { target: 'draining', actions: ['noteReason', 'closeConnection'] } as const;

export const sessionMachine = machine.createMachine({
  id: 'session',
  description: 'One connection of one agent.',
  context: ({ input }) => ({ ...input, establishedAtMs: null, closedAtMs: null, reason: null }),
  meta: {
    events: {
      'session.established': 'The agent was sent its configuration and listens to its subscriptions.',
      'drain.requested': 'The backend wants this agent to go elsewhere.',
      'connection.closed': 'The socket is gone.',
    },
  },
  initial: 'establishing',
  states: {
    establishing: {
      description: 'The upgrade was accepted; configuration and subscriptions are being settled.',
      on: {
        'session.established': { target: 'active', actions: 'noteEstablished' },
        'drain.requested': leaving,
        'connection.closed': closing,
      },
    },
    active: {
      description: 'The agent sends keepalives and events, and takes check requests.',
      on: { 'drain.requested': leaving, 'connection.closed': closing },
    },
    draining: {
      description: 'The agent was sent a goodbye; its socket is about to close.',
      on: { 'connection.closed': closing },
    },
    closed: { type: 'final', description: 'The connection is over.' },
  },
});
