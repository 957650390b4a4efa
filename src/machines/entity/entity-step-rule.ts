// What a fact does to an entity: the parts the entity machine is put together from. Pure.
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { graceDeadline } from '../boot-grace-rule.ts';
import type { EntityContext, EntityEffect, EntityFact } from './entity-facts.ts';
import {
  aliveEvent,
  firstTimeoutMs,
  judgeSilence,
  nextWaitMs,
  patienceOf,
  registrationEvent,
  type Silence,
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

export const heard = (context: EntityContext, fact: Heard, how: Registration): Partial<EntityContext> => ({
  entity: heardEntity(context.entity, fact.event, how, fact.nowMs),
  ...(how.type === 'keep' ? {} : { isVouched: false }),
  keepalive: fact.event,
  lastHeardMs: fact.nowMs,
  silentMs: 0,
  deadlineAtMs: fact.nowMs + nextWaitMs(patienceOf(fact.event), 0),
});

/** Heard of for the first time. */
export const registered = (context: EntityContext, fact: Heard): Partial<EntityContext> => {
  const first = heard(context, fact, { type: 'register' });
  return { ...first, announcement: registrationEvent(first.entity ?? context.entity, fact.nowMs) };
};

const keepaliveOf = ({ keepalive, name }: EntityContext): CheckEvent => {
  if (keepalive === null) throw new Error(`entity machine: ${name} has no keepalive to judge by`);
  return keepalive;
};

/** A deadline that comes is due: the runtime keeps back those that were moved or cleared. */
export const isWaiting = ({ keepalive, deadlineAtMs }: EntityContext): boolean =>
  keepalive !== null && deadlineAtMs !== null;

/** The silence when the wait of now is over. */
const silenceDue = ({ silentMs }: EntityContext, keepalive: CheckEvent): number =>
  silentMs + nextWaitMs(patienceOf(keepalive), silentMs);

/** How bad the silence is, now that the wait is over; null when nobody waits. */
export const levelDue = (context: EntityContext): Silence['level'] | null => {
  const { keepalive } = context;
  if (keepalive === null || !isWaiting(context)) return null;
  return judgeSilence(patienceOf(keepalive), silenceDue(context, keepalive)).level;
};

/** The wait is over: its length is silence, and the next one begins. */
export const afterWait = (context: EntityContext, nowMs: number): Partial<EntityContext> => {
  const keepalive = keepaliveOf(context);
  const silentMs = silenceDue(context, keepalive);
  return { silentMs, deadlineAtMs: nowMs + nextWaitMs(patienceOf(keepalive), silentMs) };
};

export const published = (context: EntityContext, fact: Heard): EntityEffect => ({
  type: 'publish',
  event: aliveEvent(context.entity, fact.event, fact.nowMs, fact.newId),
});

/** The backend was away, for so long as only the wall can tell. All of it is silence, and one full timeout is granted. */
export const afterAbsence = (context: EntityContext, nowMs: number): Partial<EntityContext> => ({
  silentMs: Math.max(context.silentMs, nowMs - (context.lastHeardMs ?? nowMs)),
  deadlineAtMs: graceDeadline(nowMs, firstTimeoutMs(patienceOf(keepaliveOf(context)))),
});

/** After `afterWait`. People read how long ago the keepalive was by the wall, which counts the time we were away too. */
export const missed = (context: EntityContext, fact: Deadline): EntityEffect => {
  const keepalive = keepaliveOf(context);
  const silence = judgeSilence(patienceOf(keepalive), context.silentMs);
  const agoSeconds = Math.floor((fact.nowMs - (context.lastHeardMs ?? fact.nowMs)) / 1000);
  const told = { ...silence, seconds: Math.max(silence.seconds, agoSeconds) };
  const event = silentEvent(context.entity, keepalive, told, fact.nowMs, fact.newId);
  return { type: 'publish', event };
};

export const isAgent = (entity: Pick<Entity, 'entity_class'>): boolean => entity.entity_class === 'agent';
