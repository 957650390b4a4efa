// What a fact does to an entity: the parts the entity machine is put together from. Pure.
import { type Entity, emptySystem } from '../model/entity.ts';
import type { CheckEvent } from '../model/event.ts';
import type { EntityContext, EntityEffect, EntityFact } from './entity-facts.ts';
import {
  aliveEvent,
  firstTimeoutMs,
  judgeSilence,
  nextJudgementMs,
  patienceOf,
  silentEvent,
} from './keepalive-rule.ts';
import { heardEntity, type Registration } from './registration-rule.ts';

export interface EntityIdentity {
  readonly namespace: string;
  readonly name: string;
}

type Fact<T extends EntityFact['type']> = Extract<EntityFact, { readonly type: T }>;
export type Heard = Fact<'keepalive.received'>;
export type Deadline = Fact<'deadline.reached'>;

export const blankEntity = ({ namespace, name }: EntityIdentity): Entity => ({
  metadata: { name, namespace },
  entity_class: 'agent',
  subscriptions: [],
  deregister: false,
  deregistration: {},
  system: emptySystem(),
  last_seen: 0,
  mon_agent_version: '',
});

export const heard = (context: EntityContext, fact: Heard, how: Registration): Partial<EntityContext> => ({
  entity: heardEntity(context.entity, fact.event, how, fact.nowMs),
  keepalive: fact.event,
  lastHeardMs: fact.nowMs,
  deadlineAtMs: fact.nowMs + firstTimeoutMs(patienceOf(fact.event)),
});

export const keepaliveOf = ({ keepalive, name }: EntityContext): CheckEvent => {
  if (keepalive === null) throw new Error(`entity machine: ${name} has no keepalive to judge by`);
  return keepalive;
};

export const isDue = ({ keepalive, deadlineAtMs }: EntityContext, { nowMs }: Deadline): boolean =>
  keepalive !== null && deadlineAtMs !== null && nowMs >= deadlineAtMs;

export const silenceOf = (context: EntityContext, nowMs: number) =>
  judgeSilence(patienceOf(keepaliveOf(context)), context.lastHeardMs ?? 0, nowMs);

export const afterJudgement = (context: EntityContext, nowMs: number): number =>
  nextJudgementMs(patienceOf(keepaliveOf(context)), context.lastHeardMs ?? 0, nowMs);

export const published = (context: EntityContext, fact: Heard): EntityEffect => ({
  type: 'publish',
  event: aliveEvent(context.entity, fact.event, fact.nowMs, fact.newId),
});

export const missed = (context: EntityContext, fact: Deadline): EntityEffect => {
  const silence = silenceOf(context, fact.nowMs);
  const event = silentEvent(context.entity, keepaliveOf(context), silence, fact.nowMs, fact.newId);
  return { type: 'publish', event };
};

/** A deadline before its time is set again, never further off than one timeout; see ttl-rule. */
export const renewed = (context: EntityContext, nowMs: number): Partial<EntityContext> => {
  const { deadlineAtMs } = context;
  if (deadlineAtMs === null || context.keepalive === null) return {};
  return { deadlineAtMs: Math.min(deadlineAtMs, nowMs + firstTimeoutMs(patienceOf(context.keepalive))) };
};

export const isAgent = (entity: Pick<Entity, 'entity_class'>): boolean => entity.entity_class === 'agent';
