// The execution machine: one run of one check on an agent (agent sheet 4.1).
//   queued          the requirements to be judged: tokens, allow list
//   fetchingAssets  the assets the command needs
//   running         the command
//   runningHooks    the hooks its status asks for
//   reporting       the event to be handed over
//   done            (final) nothing
// Whatever goes wrong before the command runs is reported as a result of its own, so every request has an answer.
import { assign, emit, setup } from 'xstate';

export interface ExecutionContext {
  /** Check name, or check and proxy entity. */
  readonly key: string;
  readonly issuedSeconds: number;
  readonly startedAtMs: number | null;
  readonly status: number | null;
  /** Why the command did not run; null when it did. */
  readonly refusal: string | null;
}

export type ExecutionFact =
  | { readonly type: 'request.accepted'; readonly nowMs: number; readonly needsAssets: boolean }
  | { readonly type: 'request.refused'; readonly nowMs: number; readonly why: string }
  | { readonly type: 'assets.fetched'; readonly nowMs: number }
  | { readonly type: 'assets.failed'; readonly nowMs: number; readonly why: string }
  | {
      readonly type: 'command.finished';
      readonly nowMs: number;
      readonly status: number;
      readonly hooks: readonly string[];
    }
  | { readonly type: 'hooks.finished'; readonly nowMs: number }
  | { readonly type: 'result.reported'; readonly nowMs: number }
  /** The agent stops: what runs is ended, and nothing is reported about it. */
  | { readonly type: 'stop.requested'; readonly nowMs: number };

export type ExecutionEffect =
  | { readonly type: 'assets.fetch' }
  | { readonly type: 'command.run' }
  | { readonly type: 'hooks.run'; readonly hooks: readonly string[] }
  | { readonly type: 'result.report' }
  | { readonly type: 'command.kill' };

export interface ExecutionInput {
  readonly key: string;
  readonly issuedSeconds: number;
}

const refusedStatus = 3;

const machine = setup({
  types: {
    context: {} as ExecutionContext,
    events: {} as ExecutionFact,
    emitted: {} as ExecutionEffect,
    input: {} as ExecutionInput,
  },
  guards: {
    needsAssets: ({ event }) => event.type === 'request.accepted' && event.needsAssets,
    needsHooks: ({ event }) => event.type === 'command.finished' && event.hooks.length > 0,
  },
  actions: {
    noteRefusal: assign(({ event }) => ('why' in event ? { refusal: event.why, status: refusedStatus } : {})),
    noteStart: assign(({ event }) => ({ startedAtMs: event.nowMs })),
    noteStatus: assign(({ event }) => (event.type === 'command.finished' ? { status: event.status } : {})),
    fetchAssets: emit({ type: 'assets.fetch' }),
    run: emit({ type: 'command.run' }),
    runHooks: emit(({ event }) => ({
      type: 'hooks.run',
      hooks: event.type === 'command.finished' ? event.hooks : [],
    })),
    report: emit({ type: 'result.report' }),
    kill: emit({ type: 'command.kill' }),
  },
});

const refusing = { target: 'reporting', actions: ['noteRefusal', 'report'] } as const;
const running = { target: 'running', actions: ['noteStart', 'run'] } as const;

export const executionMachine = machine.createMachine({
  id: 'execution',
  initial: 'queued',
  description: 'One run of one check on an agent.',
  context: ({ input }) => ({
    key: input.key,
    issuedSeconds: input.issuedSeconds,
    startedAtMs: null,
    status: null,
    refusal: null,
  }),
  meta: {
    events: {
      'request.accepted': 'Tokens are filled in and the command is allowed.',
      'request.refused': 'The command may not or cannot run.',
      'assets.fetched': 'All assets are in the cache.',
      'assets.failed': 'An asset could not be had.',
      'command.finished': 'The command ended, or was ended at its timeout.',
      'hooks.finished': 'All hooks ended.',
      'result.reported': 'The event was handed over.',
      'stop.requested': 'The agent stops.',
    },
  },
  states: {
    queued: {
      description: 'The request is being judged.',
      on: {
        'request.accepted': [
          { guard: 'needsAssets', target: 'fetchingAssets', actions: 'fetchAssets' },
          running,
        ],
        'request.refused': refusing,
        'stop.requested': 'done',
      },
    },
    fetchingAssets: {
      description: 'The assets of the check are being fetched.',
      on: { 'assets.fetched': running, 'assets.failed': refusing, 'stop.requested': 'done' },
    },
    running: {
      description: 'The command runs.',
      on: {
        'command.finished': [
          { guard: 'needsHooks', target: 'runningHooks', actions: ['noteStatus', 'runHooks'] },
          { target: 'reporting', actions: ['noteStatus', 'report'] },
        ],
        'stop.requested': { target: 'done', actions: 'kill' },
      },
    },
    runningHooks: {
      description: 'The hooks for this status run.',
      on: {
        'hooks.finished': { target: 'reporting', actions: 'report' },
        'stop.requested': { target: 'done', actions: 'kill' },
      },
    },
    reporting: {
      description: 'The event is being handed over.',
      on: { 'result.reported': 'done' },
    },
    done: { type: 'final', description: 'This run is over.' },
  },
});
