// The job machine: one thing that is done to many events, a step of some events at a time.
//   unset      what it has to do
//   waiting    its begin: until then it can be undone
//   running    the end of the step under way
//   done       nothing; kept for a while, so that people see what came out
//   canceled   the same; a step that was under way may still tell its result
//   gone       (final) nothing
// Every step is in the record before the next one begins, and doing one again after a crash does no harm: what is
// resolved is not resolved again.
import { assign, emit, type Snapshot, setup } from 'xstate';
import type { JobAction, JobParameters } from '../../model/resource/job.ts';
import { isObject } from '../../model/schema/is-object.ts';
import { keptJobMs, maxJobErrors } from '../limits.ts';
import { type RestoreRule, restore } from '../restore-rule.ts';

export interface JobError {
  readonly event: string;
  readonly why: string;
}

export interface JobPrincipal {
  readonly username: string;
  /** Those of then, for whom a provider vouched; those of a user of this backend are read again for every event. */
  readonly groups: readonly string[];
  /** A user of this backend; absent in records of earlier versions. */
  readonly isLocal?: boolean;
}

export interface JobOrder {
  readonly action: JobAction;
  readonly parameters: JobParameters;
  /** Who started it: every event is done in their name. */
  readonly by: JobPrincipal;
  /** `entity/check`, in the order in which they are done. */
  readonly events: readonly string[];
  readonly beginAtMs: number;
}

export interface JobContext extends JobOrder {
  readonly namespace: string;
  readonly id: string;
  readonly createdAtMs: number;
  /** Place of the first event that is not done. */
  readonly next: number;
  readonly done: number;
  /** There was nothing to do: it passes already, it is gone. */
  readonly skipped: number;
  readonly failed: number;
  /** The first ones. */
  readonly errors: readonly JobError[];
  readonly endedAtMs: number | null;
  readonly canceledBy: string | null;
}

export type JobFact =
  | ({ readonly type: 'job.submitted'; readonly nowMs: number } & JobOrder)
  /** The backend is back, or the actor began again. */
  | { readonly type: 'job.resumed'; readonly nowMs: number }
  | {
      readonly type: 'job.stepped';
      readonly nowMs: number;
      /** Place of the first event of the step. */
      readonly from: number;
      readonly done: number;
      readonly skipped: number;
      readonly errors: readonly JobError[];
    }
  | { readonly type: 'job.canceled'; readonly nowMs: number; readonly by: string }
  | { readonly type: 'job.forgotten'; readonly nowMs: number }
  | { readonly type: 'deadline.reached'; readonly name: 'begin' | 'forget'; readonly nowMs: number };

export type JobEffect =
  | { readonly type: 'persist' }
  | { readonly type: 'forget' }
  | { readonly type: 'deadline.set'; readonly name: 'begin' | 'forget'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'begin' }
  /** Do the next step. */
  | { readonly type: 'job.step'; readonly from: number };

interface JobInput {
  readonly namespace: string;
  readonly id: string;
}

type Stepped = Extract<JobFact, { readonly type: 'job.stepped' }>;

const stepOf = (event: JobFact): Stepped => {
  if (event.type !== 'job.stepped') throw new TypeError(`${event.type} is no step`);
  return event;
};

const afterStep = (context: JobContext, { done, skipped, errors }: Stepped): Partial<JobContext> => ({
  next: context.next + done + skipped + errors.length,
  done: context.done + done,
  skipped: context.skipped + skipped,
  failed: context.failed + errors.length,
  errors: [...context.errors, ...errors].slice(0, maxJobErrors),
});

const machine = setup({
  types: {
    context: {} as JobContext,
    events: {} as JobFact,
    emitted: {} as JobEffect,
    input: {} as JobInput,
  },
  guards: {
    isDueLater: ({ event }) => event.type === 'job.submitted' && event.beginAtMs > event.nowMs,
    isEarly: ({ context, event }) => context.beginAtMs > event.nowMs,
    isOld: ({ context, event }) => event.type === 'job.stepped' && event.from !== context.next,
    isLast: ({ context, event }) => (afterStep(context, stepOf(event)).next ?? 0) >= context.events.length,
  },
  actions: {
    accept: assign(({ event }) => {
      if (event.type !== 'job.submitted') return {};
      const { action, parameters, by, events, beginAtMs, nowMs } = event;
      return { action, parameters, by, events, beginAtMs, createdAtMs: nowMs };
    }),
    noteStep: assign(({ context, event }) => afterStep(context, stepOf(event))),
    noteEnd: assign(({ event }) => ({ endedAtMs: event.nowMs })),
    noteCancel: assign(({ event }) => ({
      endedAtMs: event.nowMs,
      canceledBy: event.type === 'job.canceled' ? event.by : null,
    })),
    persist: emit({ type: 'persist' }),
    forget: emit({ type: 'forget' }),
    awaitBegin: emit(({ context }) => ({ type: 'deadline.set', name: 'begin', atMs: context.beginAtMs })),
    stopWaiting: emit({ type: 'deadline.clear', name: 'begin' }),
    awaitForget: emit(({ context }) => ({
      type: 'deadline.set',
      name: 'forget',
      atMs: (context.endedAtMs ?? 0) + keptJobMs,
    })),
    step: emit(({ context }) => ({ type: 'job.step', from: context.next })),
  },
});

const ended = {
  'job.resumed': { actions: 'awaitForget' },
  'deadline.reached': { target: 'gone', actions: 'forget' },
  'job.forgotten': { target: 'gone', actions: 'forget' },
} as const;

export const jobMachine = machine.createMachine({
  id: 'job',
  initial: 'unset',
  description: 'One thing that is done to many events.',
  context: ({ input }) => ({
    namespace: input.namespace,
    id: input.id,
    action: 'resolve',
    parameters: {},
    by: { username: '', groups: [] },
    events: [],
    createdAtMs: 0,
    beginAtMs: 0,
    next: 0,
    done: 0,
    skipped: 0,
    failed: 0,
    errors: [],
    endedAtMs: null,
    canceledBy: null,
  }),
  meta: {
    events: {
      'job.submitted': 'Somebody ordered the job.',
      'job.resumed': 'The backend came up with this job in its store.',
      'job.stepped': 'Some events are done.',
      'job.canceled': 'Somebody canceled the job.',
      'job.forgotten': 'It makes room for another job.',
      'deadline.reached': 'It is time to begin, or it was kept long enough.',
    },
  },
  states: {
    unset: {
      description: 'Nobody said what it has to do.',
      on: {
        'job.submitted': [
          { guard: 'isDueLater', target: 'waiting', actions: ['accept', 'persist', 'awaitBegin'] },
          { target: 'running', actions: ['accept', 'persist', 'step'] },
        ],
      },
    },
    waiting: {
      description: 'It begins soon, and can be undone until then.',
      on: {
        'job.resumed': { actions: 'awaitBegin' },
        'deadline.reached': [
          { guard: 'isEarly', actions: 'awaitBegin' },
          { target: 'running', actions: ['persist', 'step'] },
        ],
        'job.canceled': {
          target: 'canceled',
          actions: ['noteCancel', 'persist', 'stopWaiting', 'awaitForget'],
        },
      },
    },
    running: {
      description: 'Events are done, some at a time.',
      on: {
        'job.resumed': { actions: 'step' },
        'job.stepped': [
          { guard: 'isOld', description: 'A step that was done again after a restart.' },
          { guard: 'isLast', target: 'done', actions: ['noteStep', 'noteEnd', 'persist', 'awaitForget'] },
          { actions: ['noteStep', 'persist', 'step'] },
        ],
        'job.canceled': { target: 'canceled', actions: ['noteCancel', 'persist', 'awaitForget'] },
      },
    },
    done: { description: 'Every event was looked at.', on: ended },
    canceled: {
      description: 'Somebody canceled it.',
      on: {
        ...ended,
        'job.stepped': [
          { guard: 'isOld', description: 'A step that was done again after a restart.' },
          { actions: ['noteStep', 'persist'] },
        ],
      },
    },
    gone: { type: 'final', description: 'It is forgotten.' },
  },
});

const shape: RestoreRule = {
  version: 1,
  migrate: {},
  contextFault: ({ events, by, next, errors }) => {
    if (!Array.isArray(events)) return 'context.events is not a list';
    if (!isObject(by)) return 'context.by is not an object';
    if (!Array.isArray(errors)) return 'context.errors is not a list';
    return typeof next === 'number' ? undefined : 'context.next is not a number';
  },
};

export const jobVersion = shape.version;

export const restoreJob = (state: unknown, version: number): Snapshot<unknown> =>
  restore(jobMachine, shape, state, version);
