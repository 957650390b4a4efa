// The boot machine: decides what a backend does next between its start and its stop. Facts come from the composition root,
// and its effects tell that what to begin.
//   openingStore  the store
//   rebuilding    every entity and check, back from the store with what is left of its waits
//   standby       the edges, which are about to open
//   serving       the wish to stop, or a fault that cannot be lived with
//   draining      everything under way to be done
//   stopped       (final) nothing
//   failed        (final) nothing; the process ends and its service manager starts it again
import { assign, emit, setup } from 'xstate';

export interface RebuildCounts {
  readonly entities: number;
  readonly checks: number;
  /** Records that could not be read back. */
  readonly quarantined: number;
}

export interface BootContext extends RebuildCounts {
  readonly startedAtMs: number;
  /** Since when traffic is let in; null before. Nobody is declared dead before one timeout since then. */
  readonly readyAtMs: number | null;
  readonly error: string | null;
}

export type BootFact =
  | { readonly type: 'store.opened'; readonly nowMs: number }
  | ({ readonly type: 'rebuild.finished'; readonly nowMs: number } & RebuildCounts)
  | { readonly type: 'serve.requested'; readonly nowMs: number }
  | { readonly type: 'drain.requested'; readonly nowMs: number }
  | { readonly type: 'drain.finished'; readonly nowMs: number }
  | { readonly type: 'fault.reported'; readonly nowMs: number; readonly error: string };

export type BootEffect =
  /** Bring everything back from the store. */
  | { readonly type: 'rebuild.begin' }
  /** Schedule checks, watch, and let traffic in. */
  | { readonly type: 'work.begin' }
  /** No new work; finish what is under way. */
  | { readonly type: 'drain.begin' }
  | { readonly type: 'boot.failed'; readonly error: string };

export interface BootInput {
  readonly nowMs: number;
}

const machine = setup({
  types: {
    context: {} as BootContext,
    events: {} as BootFact,
    emitted: {} as BootEffect,
    input: {} as BootInput,
  },
  actions: {
    noteRebuilt: assign(({ event }) => {
      if (event.type !== 'rebuild.finished') return {};
      const { entities, checks, quarantined } = event;
      return { entities, checks, quarantined };
    }),
    noteReady: assign(({ event }) => ({ readyAtMs: event.nowMs })),
    noteError: assign(({ event }) => (event.type === 'fault.reported' ? { error: event.error } : {})),
    beginRebuild: emit({ type: 'rebuild.begin' }),
    beginWork: emit({ type: 'work.begin' }),
    beginDrain: emit({ type: 'drain.begin' }),
    tellFailed: emit(({ context }) => ({ type: 'boot.failed', error: context.error ?? '' })),
  },
});

const failing = { target: 'failed', actions: ['noteError', 'tellFailed'] } as const;
const leaving = { target: 'draining', actions: 'beginDrain' } as const;

export const bootMachine = machine.createMachine({
  id: 'boot',
  initial: 'openingStore',
  description: 'Where this backend stands between its start and its stop, and what it does next.',
  context: ({ input }) => ({
    startedAtMs: input.nowMs,
    readyAtMs: null,
    entities: 0,
    checks: 0,
    quarantined: 0,
    error: null,
  }),
  meta: {
    events: {
      'store.opened': 'The store can be read and written.',
      'rebuild.finished': 'All that the store holds is alive again.',
      'serve.requested': 'The edges are about to accept connections.',
      'drain.requested': 'The backend was asked to stop.',
      'drain.finished': 'All that was under way is done.',
      'fault.reported': 'Something broke that the backend cannot live without.',
    },
  },
  states: {
    openingStore: {
      description: 'The store is being opened.',
      on: {
        'store.opened': { target: 'rebuilding', actions: 'beginRebuild' },
        'drain.requested': leaving,
        'fault.reported': failing,
      },
    },
    rebuilding: {
      description: 'Entities and checks are coming back from the store; no traffic yet.',
      on: {
        'rebuild.finished': { target: 'standby', actions: 'noteRebuilt' },
        'drain.requested': leaving,
        'fault.reported': failing,
      },
    },
    standby: {
      description: 'Everything is back; nothing is scheduled and nobody is let in yet.',
      on: {
        'serve.requested': { target: 'serving', actions: ['noteReady', 'beginWork'] },
        'drain.requested': leaving,
        'fault.reported': failing,
      },
    },
    serving: {
      description: 'Checks are scheduled; agents and people are let in.',
      on: { 'drain.requested': leaving, 'fault.reported': failing },
    },
    draining: {
      description: 'Nobody new is let in; what is under way is being finished.',
      on: { 'drain.finished': 'stopped', 'fault.reported': failing },
    },
    stopped: { type: 'final', description: 'The backend ended in good order.' },
    failed: { type: 'final', description: 'The backend broke and should be started again.' },
  },
});
