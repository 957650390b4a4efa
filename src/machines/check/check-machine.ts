// The check machine: what is known about one check on one entity. Four regions move at once.
//   result    awaiting       the first result
//             passing        the next result
//             failing        the next result
//             flapping       the next result; the status changes too often to mean much
//   acknowledgement
//             unacknowledged somebody who takes care of the incident
//             acknowledged   the end of the incident, its release, or the time of a reminder
//   ttl       notExpecting   a result that promises another one (`ttl`)
//             waiting        that other result, until the deadline
//             expired        the same, after the deadline; asked again every ttl
//   delivery  idle           an event somebody wants to hear of
//             delivering     the pipelines, which work on the oldest pending event
// Each region ends in `gone` when the check is deleted.
//
// Road of an event: the check actor's shell sends `result.received`; the machine answers with effects, in this order:
// persist, silences.resolve, deadline.set or .clear, deliver. `persist` comes first and the snapshot it writes holds the
// pending delivery, the deadline and the silences that end: a crash after the commit delivers and ends them again, a crash
// before it was never acknowledged.
//
// Hot path. One decision a fact (check-step-rule), one microstep, transitions without target while a region stays
// where it is. Figures: docs/machines.md.

import { assign, emit, enqueueActions, setup } from 'xstate';
import { isObject } from '../../model/schema/is-object.ts';
import { type RestoreRule, restore, type StoredState } from '../restore-rule.ts';
import {
  afterDelay,
  afterDelivery,
  afterSilences,
  deadlineOf,
  headOf,
  isEndingSilences,
  isHead,
  persistOf,
  reminderOf,
  resumedTtl,
} from './check-decisions.ts';
import type { CheckContext, CheckEffect, CheckFact } from './check-facts.ts';
import { decideCheck, endsAcknowledgement, isApplied, stepOf } from './check-step-rule.ts';
import { carriesEvents, fromOldDelivery, withoutEvents } from './delivery-rule.ts';
import { noRecentIds } from './recent-ids-rule.ts';

export interface CheckInput {
  readonly namespace: string;
  readonly entity: string;
  readonly check: string;
  /** Another one for every check that ever had this name. Default 0. */
  readonly deliverySeries?: number;
}

export const checkInput = ({ namespace, entity, check, deliverySeries = 0 }: CheckInput): CheckInput => ({
  namespace,
  entity,
  check,
  deliverySeries,
});

/** Grows when the stored shape of `{value, context}` changes; then `migrations` gets a step. */
export const checkVersion = 3;

const machine = setup({
  types: {
    context: {} as CheckContext,
    events: {} as CheckFact,
    emitted: {} as CheckEffect,
    input: {} as CheckInput,
  },
  guards: {
    isPassing: ({ event }) => stepOf(event).outcome === 'passing',
    isFailing: ({ event }) => stepOf(event).outcome === 'failing',
    isFlapping: ({ event }) => stepOf(event).outcome === 'flapping',
    isRepeated: ({ event }) => stepOf(event).outcome === 'repeated',
    isExcused: ({ event }) => stepOf(event).outcome === 'excused',
    expectsAnother: ({ event }) => {
      const step = stepOf(event);
      return isApplied(step) && step.context.ttlAtMs !== null;
    },
    expectsNothing: ({ event }) => {
      const step = stepOf(event);
      return isApplied(step) && step.context.ttlAtMs === null;
    },
    hasNews: ({ event }) => stepOf(event).context.pending.length > 0,
    isEndingSilences: ({ context }) => isEndingSilences(context),
    isNoted: ({ event }) => stepOf(event).outcome === 'noted',
    endsAcknowledgement: ({ context, event }) => endsAcknowledgement(context, stepOf(event)),
    isLastDelivery: ({ context, event }) => isHead(context, event) && context.pending.length === 1,
    isHeadDelivery: ({ context, event }) => isHead(context, event),
    carriesEvents: ({ context }) => carriesEvents(context.pending),
  },
  actions: {
    // Effects are performed after the transition, so a `persist` emitted before it writes the new context anyway.
    takeStep: assign(({ event }) => stepOf(event).context),
    renewTtl: assign(({ context, event }) => ({ ttlAtMs: resumedTtl(context, event) })),
    noteDelay: assign(({ event }) => afterDelay(event)),
    finishDelivery: assign(({ context, event }) => afterDelivery(context, event)),
    persist: emit(({ context, event }) => persistOf(context, event)),
    takeOutEvents: assign(({ context }) => ({ pending: withoutEvents(context.pending).pending })),
    endSilences: enqueueActions(({ event, enqueue }) => {
      const names = stepOf(event).resolved;
      if (names.length > 0) enqueue.emit({ type: 'silences.resolve', names });
    }),
    endSilencesAgain: emit(({ context }) => ({
      type: 'silences.resolve',
      names: context.endingSilences ?? [],
    })),
    noteSilences: assign(({ context, event }) => afterSilences(context, event)),
    setDeadline: emit(({ context }) => deadlineOf(context)),
    clearDeadline: emit({ type: 'deadline.clear', name: 'ttl' }),
    setReminder: emit(({ context }) => reminderOf(context)),
    clearReminder: emit({ type: 'deadline.clear', name: 'reminder' }),
    deliverHead: emit(({ context, event }) => headOf(context, event)),
    forget: emit({ type: 'forget' }),
  },
});

const kept = ['persist', 'takeStep'] as const;
const keptAndEnded = ['persist', 'endSilences', 'takeStep'] as const;

// From each state the most likely answer is asked first, and staying needs no target.
const fromPassing = [
  { guard: 'isPassing', actions: kept },
  { guard: 'isFailing', target: 'failing', actions: kept },
  { guard: 'isFlapping', target: 'flapping', actions: kept },
] as const;
/** Nothing flaps before its history is full: only an event with a past is flapping from the beginning. */
const firstResult = [{ ...fromPassing[0], target: 'passing' }, fromPassing[1], fromPassing[2]] as const;
const fromFailing = [
  { guard: 'isFailing', actions: kept },
  { guard: 'isPassing', target: 'passing', actions: keptAndEnded },
  { guard: 'isFlapping', target: 'flapping', actions: keptAndEnded },
] as const;
const fromFlapping = [
  { guard: 'isFlapping', actions: keptAndEnded },
  { guard: 'isPassing', target: 'passing', actions: keptAndEnded },
  { guard: 'isFailing', target: 'failing', actions: kept },
] as const;
// Silence is never OK: a TTL that ran out leads to failing or flapping.
const silentPassing = [fromPassing[1], fromPassing[2]] as const;
const silentFailing = [fromFailing[0], fromFailing[2]] as const;
const silentFlapping = [fromFlapping[0], fromFlapping[2]] as const;
/** Changes nothing, but its sender is answered only once the first one is durable. */
const again = { guard: 'isRepeated', actions: 'persist' } as const;
const silences = {
  'silences.ended': { guard: 'isEndingSilences', actions: ['noteSilences', 'persist'] },
  'check.resumed': { guard: 'isEndingSilences', actions: 'endSilencesAgain' },
} as const;
const acknowledged = { guard: 'isNoted', actions: ['persist', 'takeStep', 'setReminder'] } as const;
const gone = { type: 'final', description: 'The check was deleted.' } as const;

const renewed = { guard: 'expectsAnother', target: 'waiting', actions: 'setDeadline' } as const;
const released = { guard: 'expectsNothing', target: 'notExpecting', actions: 'clearDeadline' } as const;
const excused = { guard: 'isExcused', target: 'notExpecting', actions: kept } as const;
const resumedWait = { actions: ['renewTtl', 'setDeadline'] } as const;
const news = { guard: 'hasNews', target: 'delivering', actions: 'deliverHead' } as const;

export const checkMachine = machine.createMachine({
  id: 'check',
  type: 'parallel',
  description: 'One check on one entity: how it is, whether it keeps reporting, and who is being told.',
  context: ({ input }) => ({
    namespace: input.namespace,
    entity: input.entity,
    check: input.check,
    event: null,
    since: null,
    recentIds: noRecentIds,
    ttlAtMs: null,
    pending: [],
    deliverySeq: 0,
    deliverySeries: input.deliverySeries ?? 0,
    droppedDeliveries: 0,
  }),
  meta: {
    decide: decideCheck,
    events: {
      'result.received': 'A result of this check came in, from an agent or over the API.',
      'deadline.reached':
        'The time within which another result was promised is over, or handlers are to be reminded.',
      'delivery.delayed': 'A delivery met an outage and is tried again later.',
      'delivery.finished': 'The pipelines are done with one event.',
      'incident.acknowledged': 'Somebody takes care of the incident.',
      'incident.released': 'Nobody takes care of the incident any more.',
      'incident.noted': 'Somebody wrote a note about the incident.',
      'silences.ended': 'The silences that ended with an incident are gone from the store.',
      'check.resumed': 'The check is back from its durable record after a restart.',
      'check.deleted': 'Somebody deleted the event of this check.',
    },
  },
  on: {
    'check.deleted': {
      target: ['.result.gone', '.acknowledgement.gone', '.ttl.gone', '.delivery.gone'],
      actions: ['clearDeadline', 'clearReminder', 'forget'],
    },
    'incident.noted': { guard: 'isNoted', actions: kept },
  },
  states: {
    result: {
      initial: 'awaiting',
      description: 'How the check is, by its last results.',
      states: {
        awaiting: {
          description: 'No result came yet.',
          on: { 'result.received': firstResult },
        },
        passing: {
          description: 'The last result was OK.',
          on: { 'result.received': [...fromPassing, again], 'deadline.reached': silentPassing, ...silences },
        },
        failing: {
          description: 'The last result was not OK, or none came in time.',
          on: { 'result.received': [...fromFailing, again], 'deadline.reached': silentFailing, ...silences },
        },
        flapping: {
          description:
            'The status changes too often: above the high threshold, and not yet below the low one.',
          on: {
            'result.received': [...fromFlapping, again],
            'deadline.reached': silentFlapping,
            ...silences,
          },
        },
        gone,
      },
    },
    acknowledgement: {
      initial: 'unacknowledged',
      description: 'Whether somebody takes care of the incident.',
      states: {
        unacknowledged: {
          description: 'Nobody said so, or there is no incident. Handlers are called for every result.',
          on: { 'incident.acknowledged': { ...acknowledged, target: 'acknowledged' } },
        },
        acknowledged: {
          description:
            'Somebody does: handlers hear of a change of status and of reminders, not of repetitions. Ends when the check passes.',
          on: {
            'result.received': {
              guard: 'endsAcknowledgement',
              target: 'unacknowledged',
              actions: 'clearReminder',
            },
            'incident.acknowledged': acknowledged,
            'incident.released': {
              guard: 'isNoted',
              target: 'unacknowledged',
              actions: [...kept, 'clearReminder'],
            },
            'deadline.reached': acknowledged,
            'check.resumed': { actions: 'setReminder' },
          },
        },
        gone,
      },
    },
    ttl: {
      initial: 'notExpecting',
      description: 'Whether another result was promised within a time.',
      states: {
        notExpecting: {
          description:
            'No promise: the check has no TTL, or its entity is down and is watched by its keepalive.',
          on: { 'result.received': renewed },
        },
        waiting: {
          description: 'Another result is due before the deadline.',
          on: {
            'result.received': [{ guard: 'expectsAnother', actions: 'setDeadline' }, released],
            'deadline.reached': [{ ...renewed, target: 'expired' }, excused],
            'check.resumed': resumedWait,
          },
        },
        expired: {
          description: 'The deadline passed without a result; the silence is reported again every TTL.',
          on: {
            'result.received': [renewed, released],
            'deadline.reached': [{ guard: 'expectsAnother', actions: 'setDeadline' }, excused],
            'check.resumed': resumedWait,
          },
        },
        gone,
      },
    },
    delivery: {
      initial: 'idle',
      description: 'Whether the pipelines are at work on events of this check, one at a time and in order.',
      states: {
        idle: {
          description: 'Nothing to tell.',
          on: { 'result.received': news, 'deadline.reached': news },
        },
        delivering: {
          description: 'The pipelines have the oldest pending event; the others wait behind it.',
          on: {
            'delivery.delayed': { guard: 'isHeadDelivery', actions: ['noteDelay', 'persist'] },
            'delivery.finished': [
              { guard: 'isLastDelivery', target: 'idle', actions: ['finishDelivery', 'persist'] },
              { guard: 'isHeadDelivery', actions: ['finishDelivery', 'persist', 'deliverHead'] },
            ],
            'check.resumed': [
              { guard: 'carriesEvents', actions: ['persist', 'takeOutEvents', 'deliverHead'] },
              { actions: 'deliverHead' },
            ],
          },
        },
        gone,
      },
    },
  },
});

/** Version 1 knew no acknowledgements. The regions are in the order of the machine. */
const unacknowledged = ({ value, context }: StoredState): StoredState => {
  const { result, ...others } = value as Readonly<Record<string, unknown>>;
  return { value: { result, acknowledgement: 'unacknowledged', ...others }, context };
};

const contextFault = (context: Readonly<Record<string, unknown>>): string | undefined => {
  for (const name of ['namespace', 'entity', 'check', 'recentIds']) {
    if (typeof context[name] !== 'string') return `context.${name} is not a string`;
  }
  const { event, ttlAtMs, pending, deliverySeq, deliverySeries, endingSilences } = context;
  if (event !== null && !(isObject(event) && isObject(event['check']) && isObject(event['entity']))) {
    return 'context.event is not a check event';
  }
  if (ttlAtMs !== null && typeof ttlAtMs !== 'number') return 'context.ttlAtMs is not a time';
  if (!Array.isArray(pending)) return 'context.pending is not a list';
  if (
    !pending.every(
      (one) => isObject(one) && typeof one['seq'] === 'number' && typeof one['bytes'] === 'number',
    )
  )
    return 'context.pending holds something that is no delivery';
  if (typeof deliverySeries !== 'number') return 'context.deliverySeries is not a number';
  if (endingSilences !== undefined && !Array.isArray(endingSilences))
    return 'context.endingSilences is not a list';
  return typeof deliverySeq === 'number' ? undefined : 'context.deliverySeq is not a number';
};

/** Version 2 held the events of its deliveries. They get records of their own when the check is resumed, or upgraded. */
const withOldDeliveries = ({ value, context }: StoredState): StoredState => {
  if (!isObject(context) || !Array.isArray(context['pending'])) return { value, context };
  return {
    value,
    context: { ...context, pending: context['pending'].map(fromOldDelivery), deliverySeries: 0 },
  };
};

const rule: RestoreRule = {
  version: checkVersion,
  migrate: { 1: unacknowledged, 2: withOldDeliveries },
  contextFault,
};

/** A stored `{value, context}` as a live snapshot. Throws a RestoreError that says why it cannot be one. */
export const restoreCheck = (state: unknown, version: number) => restore(checkMachine, rule, state, version);
