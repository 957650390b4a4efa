// The schedule machine: when one check definition is due.
//   unpublished  a definition that is published
//   waiting      the next tick
//   subdued      the next tick, which it will let pass if the window is still open
//   firing       the request of this tick to be out
//   removed      nothing more
import { assign, emit, setup } from 'xstate';
import type { CheckConfig } from '../../model/check/check.ts';
import { clockStepMs, followsWallClock, nextRun, runAfter } from './next-run-rule.ts';
import type { ScheduleContext, ScheduleEffect, ScheduleFact } from './schedule-facts.ts';
import { isSubdued } from './subdue-rule.ts';

interface ScheduleInput {
  readonly config: CheckConfig;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A change that leaves the timing alone keeps the tick that is waited for. */
const keepsTiming = (before: CheckConfig, after: CheckConfig): boolean =>
  before.interval === after.interval &&
  (before.cron ?? '') === (after.cron ?? '') &&
  before.publish === after.publish;

const defined = (context: ScheduleContext, fact: ScheduleFact): Partial<ScheduleContext> => {
  if (fact.type !== 'check.defined') return {};
  const { config, nowMs } = fact;
  if (context.nextAtMs !== null && keepsTiming(context.config, config)) return { config };
  return { config, nextAtMs: nextRun(config, nowMs) };
};

const ticked = (context: ScheduleContext, fact: ScheduleFact): Partial<ScheduleContext> =>
  fact.type === 'deadline.reached'
    ? { nextAtMs: runAfter(context.config, context.nextAtMs ?? fact.nowMs, fact.nowMs) }
    : {};

const deadlineOf = ({ config, nextAtMs }: ScheduleContext): ScheduleEffect =>
  nextAtMs === null
    ? { type: 'deadline.clear', name: 'tick' }
    : {
        type: 'deadline.set',
        name: 'tick',
        atMs: nextAtMs,
        anchor: followsWallClock(config) ? 'wall' : 'elapsed',
      };

/** Of a cron schedule: the wall clock was set back, and the time it waits for is still ahead. */
const isAhead = ({ config, nextAtMs }: ScheduleContext, nowMs: number): boolean =>
  followsWallClock(config) && nextAtMs !== null && nextAtMs - nowMs > clockStepMs;

const requestOf = ({ config }: ScheduleContext, fact: ScheduleFact): ScheduleEffect => ({
  type: 'request.issue',
  config,
  issuedSeconds: seconds('nowMs' in fact ? fact.nowMs : 0),
});

const machine = setup({
  types: {
    context: {} as ScheduleContext,
    events: {} as ScheduleFact,
    emitted: {} as ScheduleEffect,
    input: {} as ScheduleInput,
  },
  guards: {
    isPublished: ({ event }) => event.type === 'check.defined' && event.config.publish,
    isSetBack: ({ context, event }) => event.type === 'deadline.reached' && isAhead(context, event.nowMs),
    isSubduedNow: ({ context, event }) =>
      event.type === 'deadline.reached' && isSubdued(context.config, event.nowMs),
  },
  actions: {
    define: assign(({ context, event }) => defined(context, event)),
    retire: assign(({ event }) => ({
      nextAtMs: null,
      ...(event.type === 'check.defined' ? { config: event.config } : {}),
    })),
    planNext: assign(({ context, event }) => ticked(context, event)),
    noteIssued: assign(({ event }) => ('nowMs' in event ? { lastIssued: seconds(event.nowMs) } : {})),
    noteSkipped: assign(({ context }) => ({ skipped: context.skipped + 1 })),
    armNext: emit(({ context }) => deadlineOf(context)),
    disarm: emit({ type: 'deadline.clear', name: 'tick' }),
    issue: emit(({ context, event }) => requestOf(context, event)),
  },
});

const redefinition = [
  { guard: 'isPublished', target: '#schedule.waiting', actions: ['define', 'armNext'] },
  { target: '#schedule.unpublished', actions: ['retire', 'disarm'] },
] as const;
const removal = { target: '#schedule.removed', actions: 'disarm' } as const;
const replan = { guard: 'isSetBack', actions: ['planNext', 'armNext'] } as const;
const tick = [
  replan,
  { guard: 'isSubduedNow', target: '#schedule.subdued', actions: ['planNext', 'armNext'] },
  { target: '#schedule.firing', actions: ['planNext', 'noteIssued', 'armNext', 'issue'] },
] as const;

export const scheduleMachine = machine.createMachine({
  id: 'schedule',
  description: 'When one check definition is due.',
  context: ({ input }) => ({ config: input.config, nextAtMs: null, lastIssued: null, skipped: 0 }),
  meta: {
    events: {
      'check.defined': 'The definition was made or changed.',
      'deadline.reached': 'The check is due, or the wall clock was set back.',
      'request.issued': 'Everybody who was to get the request has it.',
      'check.removed': 'The definition was deleted.',
    },
  },
  initial: 'unpublished',
  states: {
    unpublished: {
      description: 'The check runs only when somebody asks for it.',
      on: { 'check.defined': redefinition, 'check.removed': removal },
    },
    waiting: {
      description: 'The next tick is set.',
      on: { 'check.defined': redefinition, 'check.removed': removal, 'deadline.reached': tick },
    },
    subdued: {
      description: 'The last tick fell into a subdue window and was let pass.',
      on: { 'check.defined': redefinition, 'check.removed': removal, 'deadline.reached': tick },
    },
    firing: {
      description: 'The request of this tick is on its way to the agents.',
      on: {
        'request.issued': 'waiting',
        'check.defined': redefinition,
        'check.removed': removal,
        'deadline.reached': [replan, { actions: ['planNext', 'noteSkipped', 'armNext'] }],
      },
    },
    removed: { type: 'final', description: 'The definition is gone.' },
  },
});
