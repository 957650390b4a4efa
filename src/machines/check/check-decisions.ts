// Small decisions of the check machine about its deadline and its deliveries. Pure.
import { resumedDeadline } from '../boot-grace-rule.ts';
import { remindAtMs } from './acknowledgement-rule.ts';
import type { CheckContext, CheckEffect, CheckFact } from './check-facts.ts';
import { decisionOf } from './check-step-rule.ts';
import { finishedDelivery, withoutEvents } from './delivery-rule.ts';

export const resumedTtl = (context: CheckContext, fact: CheckFact): number | null => {
  const { ttlAtMs, event } = context;
  if (ttlAtMs === null || event === null || fact.type !== 'check.resumed') return ttlAtMs;
  return resumedDeadline(ttlAtMs, fact.nowMs, event.check.ttl * 1000);
};

export const isEndingSilences = ({ endingSilences }: CheckContext): boolean => endingSilences !== undefined;

export const afterSilences = (
  { endingSilences }: CheckContext,
  fact: CheckFact,
): Pick<CheckContext, 'endingSilences'> => {
  if (fact.type !== 'silences.ended') return { endingSilences };
  const left = endingSilences?.filter((name) => !fact.names.includes(name)) ?? [];
  return { endingSilences: left.length === 0 ? undefined : left };
};

export const isHead = (context: CheckContext, fact: CheckFact): boolean =>
  (fact.type === 'delivery.finished' || fact.type === 'delivery.delayed') &&
  context.pending[0]?.seq === fact.seq;

export const afterDelay = (fact: CheckFact): Partial<CheckContext> =>
  fact.type === 'delivery.delayed' ? { lastTrace: fact.trace } : {};

export const afterDelivery = (context: CheckContext, fact: CheckFact): Partial<CheckContext> => {
  const pending = context.pending.slice(1);
  if (fact.type !== 'delivery.finished' || fact.trace === undefined) return { pending };
  return { pending, lastTrace: fact.trace };
};

export const headOf = ({ pending }: CheckContext, fact: CheckFact): CheckEffect => {
  const head = pending[0];
  if (head === undefined) throw new Error('check machine: delivering, but nothing is pending');
  const { seq } = head;
  const added = decisionOf(fact)?.deliveries?.added.find((one) => one.seq === seq);
  return added === undefined ? { type: 'deliver', seq } : { type: 'deliver', seq, event: added.event };
};

export const deadlineOf = ({ ttlAtMs }: CheckContext): CheckEffect => {
  if (ttlAtMs === null) throw new Error('check machine: waiting, but for no time');
  return { type: 'deadline.set', name: 'ttl', atMs: ttlAtMs };
};

export const reminderOf = (context: CheckContext): CheckEffect => {
  const atMs = remindAtMs(context);
  return atMs === null
    ? { type: 'deadline.clear', name: 'reminder' }
    : { type: 'deadline.set', name: 'reminder', atMs };
};

const plainPersist: CheckEffect = { type: 'persist' };

/** The write after a fact, and what it changes about deliveries. `before` is the context before the fact. */
export const persistOf = (before: CheckContext, fact: CheckFact): CheckEffect => {
  if (fact.type === 'delivery.finished') return { type: 'persist', deliveries: finishedDelivery(fact.seq) };
  if (fact.type === 'check.resumed')
    return { type: 'persist', deliveries: withoutEvents(before.pending).changes };
  const step = decisionOf(fact);
  if (step?.deliveries === undefined) return plainPersist;
  const { deliveries, context } = step;
  const { droppedDeliveries: dropped } = context;
  return dropped > before.droppedDeliveries
    ? { type: 'persist', deliveries, dropped }
    : { type: 'persist', deliveries };
};
