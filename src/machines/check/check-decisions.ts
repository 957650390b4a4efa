// Small decisions of the check machine about its deadline and its deliveries. Pure.
import { resumedDeadline } from '../boot-grace-rule.ts';
import { remindAtMs } from './acknowledgement-rule.ts';
import type { CheckContext, CheckEffect, CheckFact } from './check-facts.ts';

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

export const headOf = ({ pending }: CheckContext): CheckEffect => {
  const head = pending[0];
  if (head === undefined) throw new Error('check machine: delivering, but nothing is pending');
  return { type: 'deliver', seq: head.seq, event: head.event };
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

/** Says how many deliveries were given up so far when this step gave some up. */
export const persistOf = (before: CheckContext, after: CheckContext): CheckEffect =>
  after.droppedDeliveries > before.droppedDeliveries
    ? { type: 'persist', dropped: after.droppedDeliveries }
    : plainPersist;
