// The execution machine: one run of one check on an agent.
//   queued          waits for the decision on the request: tokens, allow list, executable
//   fetchingAssets  waits for the assets of the command
//   running         waits for the command
//   runningHooks    waits for the hooks that the status triggers
//   reporting       waits until the event is handed over
//   done            (final)
// A run that fails before the command starts reports a result, too, so that every request is answered.
import { assign, emit, setup } from 'xstate';

export interface ExecutionContext {
  /** Check name, or check and proxy entity. */
  readonly key: string;
  readonly issuedSeconds: number;
  readonly startedAtMs: number | null;
  readonly status: number | null;
  /** Why the command did not run; null otherwise. */
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
  /** The agent stops: the command is killed and no result is reported. */
  | { readonly type: 'stop.requested'; readonly nowMs: number };

export type ExecutionEffect =
  | { readonly type: 'request.judge' }
  | { readonly type: 'assets.fetch' }
  | { readonly type: 'command.run' }
  | { readonly type: 'hooks.run'; readonly hooks: readonly string[] }
  | { readonly type: 'result.report' }
  | { readonly type: 'command.kill' };

interface ExecutionInput {
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
    judge: emit({ type: 'request.judge' }),
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
      'request.accepted': 'Tokens are substituted and the command is permitted.',
      'request.refused': 'The command is not permitted or cannot run.',
      'assets.fetched': 'All assets are in the cache.',
      'assets.failed': 'An asset is not available.',
      'command.finished': 'The command ended, or was killed at its timeout.',
      'hooks.finished': 'All hooks ended.',
      'result.reported': 'The event was handed over.',
      'stop.requested': 'The agent stops.',
    },
  },
  states: {
    queued: {
      description: 'The agent checks whether the command may run.',
      entry: 'judge',
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
      description: 'The hooks that the status triggers run.',
      on: {
        'hooks.finished': { target: 'reporting', actions: 'report' },
        'stop.requested': { target: 'done', actions: 'kill' },
      },
    },
    reporting: {
      description: 'The event is being handed over.',
      on: { 'result.reported': 'done' },
    },
    done: { type: 'final', description: 'The run has ended.' },
  },
});
