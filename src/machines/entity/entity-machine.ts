// The entity machine: the life of one thing that is watched.
//   unregistered   its first keepalive, or somebody who declares it
//   registered     the next keepalive of its agent, until the deadline; for ever when none ever came
//   unresponsive   the next keepalive; judged again at every deadline
//     warning      the agent was silent for its warning timeout
//     critical     the agent was silent for its critical timeout
//   proxy          nothing: it has no agent, so its silence means nothing
//   deregistering  its removal, asked for because its agent stopped or fell silent, and wanted that
//   deregistered   (final) nothing
//
// Road of an event: keepalives come to the entity first; it publishes them, or their absence, as events of the check
// `keepalive`. Effects come in this order: persist, deadline, announce, publish or deregister, config.changed.

import { assign, emit, enqueueActions, setup } from 'xstate';
import { blankEntity, withOwnSubscription } from '../../model/entity/entity.ts';
import { isObject } from '../../model/schema/is-object.ts';
import { reportedEntity } from '../client/client-entity-rule.ts';
import { type RestoreRule, restore, type StoredState } from '../restore-rule.ts';
import type { EntityContext, EntityEffect, EntityFact } from './entity-facts.ts';
import {
  afterAbsence,
  afterWait,
  type Deadline,
  type EntityIdentity,
  type Heard,
  heard,
  isAgent,
  isWaiting,
  levelDue,
  missed,
  published,
  registered,
} from './entity-step-rule.ts';
import { firstTimeoutMs, patienceOf } from './keepalive-rule.ts';
import { configOf, configuredEntity, decideRegistration, heardEntity } from './registration-rule.ts';

export type EntityInput = EntityIdentity;

export const entityInput = ({ namespace, name }: EntityInput): EntityInput => ({ namespace, name });

/** Grows when the stored shape of `{value, context}` changes. */
export const entityVersion = 2;

const none: Partial<EntityContext> = {};

const machine = setup({
  types: {
    context: {} as EntityContext,
    events: {} as EntityFact,
    emitted: {} as EntityEffect,
    input: {} as EntityInput,
  },
  guards: {
    fromAgent: ({ event }) => event.type === 'keepalive.received' && isAgent(event.event.entity),
    isAdopted: ({ context, event }) =>
      event.type === 'keepalive.received' && decideRegistration(context.entity, event.event).type === 'adopt',
    declaresAgent: ({ event }) => event.type === 'entity.declared' && isAgent(event.entity),
    staysAgent: ({ event }) => event.type === 'entity.configured' && isAgent(event.config),
    isHeardOf: ({ context }) => context.keepalive !== null,
    isAnnouncing: ({ context }) => context.announcement !== undefined,
    wantsToLeave: ({ context }) => isWaiting(context) && context.entity.deregister,
    isEphemeral: ({ context }) => context.entity.deregister,
    isWarning: ({ context }) => levelDue(context) === 'warning',
    isCritical: ({ context }) => levelDue(context) === 'critical',
  },
  actions: {
    register: assign(({ context, event }) =>
      event.type === 'keepalive.received' ? registered(context, event) : none,
    ),
    noteAnnounced: assign({ announcement: undefined }),
    hear: assign(({ context, event }) =>
      event.type === 'keepalive.received'
        ? heard(context, event, decideRegistration(context.entity, event.event))
        : none,
    ),
    noteFacts: assign(({ context, event }) => {
      if (event.type !== 'keepalive.received') return none;
      return {
        entity: heardEntity(context.entity, event.event, { type: 'keep', why: 'storedWins' }, event.nowMs),
      };
    }),
    declare: assign(({ event }) =>
      event.type === 'entity.declared'
        ? { entity: withOwnSubscription(event.entity), isVouched: event.by === 'operator' }
        : none,
    ),
    configure: assign(({ context, event }) =>
      event.type === 'entity.configured'
        ? {
            entity: configuredEntity(context.entity, event.config),
            isVouched: event.by === 'keep' ? context.isVouched : event.by === 'operator',
          }
        : none,
    ),
    becomeClient: assign(({ context, event }) =>
      event.type === 'client.reported'
        ? { entity: withOwnSubscription(reportedEntity(null, event.report, context.namespace)) }
        : none,
    ),
    noteReport: assign(({ context, event }) =>
      event.type === 'client.reported'
        ? { entity: withOwnSubscription(reportedEntity(context.entity, event.report, context.namespace)) }
        : none,
    ),
    stopWaiting: assign({ keepalive: null, lastHeardMs: null, silentMs: 0, deadlineAtMs: null }),
    awaitJudgement: assign(({ context, event }) =>
      event.type === 'deadline.reached' ? afterWait(context, event.nowMs) : none,
    ),
    grantGrace: assign(({ context, event }) =>
      event.type === 'entity.resumed' ? afterAbsence(context, event.nowMs) : none,
    ),
    persist: emit({ type: 'persist' }),
    setDeadline: emit(({ context }) => {
      if (context.deadlineAtMs === null) throw new Error('entity machine: waiting, but for no time');
      return { type: 'deadline.set', name: 'keepalive', atMs: context.deadlineAtMs };
    }),
    clearDeadline: emit({ type: 'deadline.clear', name: 'keepalive' }),
    announceRegistration: enqueueActions(({ context: { announcement }, enqueue }) => {
      if (announcement !== undefined) enqueue.emit({ type: 'announce', event: announcement });
    }),
    publishAlive: emit(({ context, event }) => published(context, event as Heard)),
    publishSilent: emit(({ context, event }) => missed(context, event as Deadline)),
    tellConfig: emit(({ context }) => ({
      type: 'config.changed',
      config: configOf(context.entity),
      isVouched: context.isVouched === true,
    })),
    askToLeave: emit({ type: 'deregister' }),
    forget: emit({ type: 'forget' }),
  },
});

const registering = [
  'register',
  'persist',
  'setDeadline',
  'announceRegistration',
  'publishAlive',
  'tellConfig',
] as const;
const hearing = ['hear', 'persist', 'setDeadline', 'publishAlive'] as const;
const adopting = [...hearing, 'tellConfig'] as const;
const judging = ['awaitJudgement', 'persist', 'setDeadline', 'publishSilent'] as const;

const cameBack = [
  { guard: 'isAdopted', target: '#entity.registered', actions: adopting },
  { target: '#entity.registered', actions: hearing },
] as const;
const leaves = {
  guard: 'wantsToLeave',
  target: '#entity.deregistering',
  actions: ['persist', 'askToLeave'],
} as const;
const stopped = {
  guard: 'isEphemeral',
  target: '#entity.deregistering',
  actions: ['persist', 'clearDeadline', 'askToLeave'],
} as const;
const becomesProxy = {
  target: '#entity.proxy',
  actions: ['configure', 'stopWaiting', 'persist', 'clearDeadline', 'tellConfig'],
} as const;
const configured = { guard: 'staysAgent', actions: ['configure', 'persist', 'tellConfig'] } as const;
const forgotten = {
  target: '#entity.registered',
  actions: ['stopWaiting', 'persist', 'clearDeadline'],
} as const;
/** Declared again by an event that crossed the first declaration: known already, and soon durable. */
const declaredAgain = { actions: 'persist' } as const;
const announceAgain = { guard: 'isAnnouncing', actions: 'announceRegistration' } as const;
const resumed = {
  guard: 'isHeardOf',
  actions: ['grantGrace', 'setDeadline', 'announceRegistration'],
} as const;
const deleted = { target: '#entity.deregistered', actions: ['clearDeadline', 'forget'] } as const;

export const entityMachine = machine.createMachine({
  id: 'entity',
  initial: 'unregistered',
  description: 'One thing that is watched: a machine with an agent, or a proxy entity without one.',
  context: ({ input }) => ({
    namespace: input.namespace,
    name: input.name,
    entity: blankEntity(input.namespace, input.name, 'agent'),
    keepalive: null,
    lastHeardMs: null,
    silentMs: 0,
    deadlineAtMs: null,
  }),
  meta: {
    events: {
      'keepalive.received': 'The agent gave a sign of life.',
      'deadline.reached': 'The time in which a keepalive was due is over.',
      'entity.declared': 'An event named this entity for the first time, or an operator created it.',
      'entity.configured': 'An operator changed the configuration of this entity.',
      'client.reported':
        'The client of the earlier generation that this entity stands for reported itself. An agent ignores it.',
      'entity.resumed': 'The backend came up with this entity in its store.',
      'registration.announced': 'The pipelines are done with the registration event.',
      'agent.stopped': 'The agent said that it stopped.',
      'keepalive.forgotten': 'Somebody deleted the keepalive event: nothing is due until the next one.',
      'entity.deleted': 'The entity was deleted.',
    },
  },
  on: {
    'registration.announced': { guard: 'isAnnouncing', actions: ['noteAnnounced', 'persist'] },
    'client.reported': {},
  },
  states: {
    unregistered: {
      description: 'Nobody has heard of this entity yet.',
      on: {
        'keepalive.received': [
          { guard: 'fromAgent', target: 'registered', actions: registering },
          { target: 'proxy', actions: ['noteFacts', 'persist', 'publishAlive'] },
        ],
        'entity.declared': [
          { guard: 'declaresAgent', target: 'registered', actions: ['declare', 'persist'] },
          { target: 'proxy', actions: ['declare', 'persist'] },
        ],
        'client.reported': { target: 'proxy', actions: ['becomeClient', 'persist'] },
        'entity.deleted': deleted,
      },
    },
    registered: {
      description: 'The agent is well, as far as its keepalives tell; without any keepalive nothing is due.',
      on: {
        'keepalive.received': [{ guard: 'isAdopted', actions: adopting }, { actions: hearing }],
        'deadline.reached': [
          leaves,
          { guard: 'isWarning', target: 'unresponsive.warning', actions: judging },
          { guard: 'isCritical', target: 'unresponsive.critical', actions: judging },
        ],
        'entity.declared': declaredAgain,
        'entity.configured': [configured, becomesProxy],
        'agent.stopped': stopped,
        'keepalive.forgotten': { actions: ['stopWaiting', 'persist', 'clearDeadline'] },
        'entity.resumed': [resumed, announceAgain],
        'entity.deleted': deleted,
      },
    },
    unresponsive: {
      initial: 'warning',
      description: 'The agent has been silent for too long.',
      on: {
        'keepalive.received': cameBack,
        'entity.declared': declaredAgain,
        'entity.configured': [configured, becomesProxy],
        'agent.stopped': stopped,
        'keepalive.forgotten': forgotten,
        'entity.resumed': resumed,
        'entity.deleted': deleted,
      },
      states: {
        warning: {
          description: 'Silent for its warning timeout.',
          on: {
            'deadline.reached': [
              leaves,
              { guard: 'isCritical', target: 'critical', actions: judging },
              { guard: 'isWarning', actions: judging },
            ],
          },
        },
        critical: {
          description: 'Silent for its critical timeout.',
          on: {
            'deadline.reached': [leaves, { guard: 'isCritical', actions: judging }],
          },
        },
      },
    },
    proxy: {
      description: 'Has no agent: others report about it, and its silence means nothing.',
      on: {
        'keepalive.received': [
          { guard: 'fromAgent', target: 'registered', actions: adopting },
          { actions: ['noteFacts', 'persist', 'publishAlive'] },
        ],
        'entity.declared': declaredAgain,
        'entity.configured': [
          { guard: 'staysAgent', target: 'registered', actions: ['configure', 'persist', 'tellConfig'] },
          { actions: ['configure', 'persist'] },
        ],
        'client.reported': { actions: ['noteReport', 'persist'] },
        'entity.resumed': announceAgain,
        'entity.deleted': deleted,
      },
    },
    deregistering: {
      description: 'Its agent stopped or fell silent, and wanted to be removed then; waits for its removal.',
      on: {
        'keepalive.received': cameBack,
        'entity.declared': declaredAgain,
        'entity.configured': { actions: ['configure', 'persist'] },
        'entity.resumed': { actions: 'askToLeave' },
        'entity.deleted': deleted,
      },
    },
    deregistered: { type: 'final', description: 'The entity was removed.' },
  },
});

/** Version 1 knew silence only as the difference of two times on the wall. */
const withSilence = ({ value, context }: StoredState): StoredState => {
  const { lastHeardMs, deadlineAtMs, keepalive } = context as EntityContext;
  const waits = lastHeardMs !== null && deadlineAtMs !== null && keepalive !== null;
  const silentMs = waits ? deadlineAtMs - lastHeardMs - firstTimeoutMs(patienceOf(keepalive)) : 0;
  return { value, context: { ...(context as EntityContext), silentMs: Math.max(0, silentMs) } };
};

const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === 'number';

const contextFault = (context: Readonly<Record<string, unknown>>): string | undefined => {
  const { namespace, name, entity, keepalive, lastHeardMs, silentMs, deadlineAtMs } = context;
  if (typeof namespace !== 'string' || typeof name !== 'string') return 'context names no entity';
  if (!isObject(entity) || !isObject(entity['metadata'])) return 'context.entity is not an entity';
  if (keepalive !== null && !(isObject(keepalive) && isObject(keepalive['check']))) {
    return 'context.keepalive is not a check event';
  }
  const goodTimes =
    isNumberOrNull(lastHeardMs) && isNumberOrNull(deadlineAtMs) && typeof silentMs === 'number';
  return goodTimes ? undefined : 'context holds a bad time';
};

const rule: RestoreRule = { version: entityVersion, migrate: { 1: withSilence }, contextFault };

/** A stored `{value, context}` as a live snapshot. Throws a RestoreError that says why it cannot be one. */
export const restoreEntity = (state: unknown, version: number) =>
  restore(entityMachine, rule, state, version);
