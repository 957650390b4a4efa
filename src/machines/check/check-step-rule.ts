// What one fact does to a check, decided as a whole before the statechart moves (actors/runtime/statechart/decision.ts). The
// guards and actions of all regions read the same decision, so a result is merged once, in one microstep.
import type { CheckState } from '../../model/check/check.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import {
  acknowledge,
  acknowledgementOf,
  addNote,
  type ReminderFact,
  remind,
  withdraw,
} from './acknowledgement-rule.ts';
import type { CheckContext, CheckFact, DeliveryChanges, EventWrite } from './check-facts.ts';
import { needsDelivery, queueDelivery } from './delivery-rule.ts';
import { type Circumstances, mergeResult } from './merge-rule.ts';
import { hasSeen, remember, rememberWrite } from './recent-ids-rule.ts';
import { sinceAfter } from './severity-rule.ts';
import { ttlDeadline, ttlFailure } from './ttl-rule.ts';

/**
 * passing, failing, flapping: a result was applied, and this is the state of the check now.
 * noted: people changed what is known of the incident, or handlers are reminded of it; there is no new result.
 * repeated: an event already applied came again. excused: the TTL ran out, but the entity itself is down and that alert is enough. ignored: nothing to do.
 */
type CheckOutcome = CheckState | 'noted' | 'repeated' | 'excused' | 'ignored';

export interface CheckStep {
  readonly outcome: CheckOutcome;
  /** The context afterwards. */
  readonly context: CheckContext;
  /** An incident ended with this result, and these silences end with it. */
  readonly resolved: readonly string[];
  /** Absent when nobody is to be told. */
  readonly deliveries?: DeliveryChanges;
}

type ResultFact = Extract<CheckFact, { readonly type: 'result.received' }>;
type DeadlineFact = Extract<CheckFact, { readonly name: 'ttl' }>;

const nobody: readonly string[] = [];

const unapplied = (outcome: CheckOutcome, context: CheckContext): CheckStep => ({
  outcome,
  context,
  resolved: nobody,
});

export const isApplied = (step: CheckStep): boolean =>
  step.outcome === 'passing' || step.outcome === 'failing' || step.outcome === 'flapping';

const afterResult = (context: CheckContext, fact: ResultFact): CheckStep => {
  const { event, write } = fact;
  const key = write === undefined ? event.id : write.repeatKey;
  if (hasSeen(context.recentIds, key)) return unapplied('repeated', context);
  if (write === undefined) return apply(context, event, fact, remember(context.recentIds, key));
  return apply(context, event, { ...fact, mayImport: true }, rememberWrite(context.recentIds, key));
};

const afterDeadline = (context: CheckContext, fact: DeadlineFact): CheckStep => {
  const { event, ttlAtMs } = context;
  if (event === null || ttlAtMs === null) return unapplied('ignored', context);
  if (fact.entityDown) return unapplied('excused', { ...context, ttlAtMs: null });
  return apply(context, ttlFailure(event, fact.nowMs), fact, context.recentIds);
};

interface Delivering {
  readonly change: Pick<CheckContext, 'pending' | 'deliverySeq' | 'droppedDeliveries'>;
  readonly deliveries: DeliveryChanges;
}

const delivering = (context: CheckContext, event: CheckEvent, isCrowded: boolean | undefined): Delivering => {
  const deliverySeq = context.deliverySeq + 1;
  const { pending, dropped, changes } = queueDelivery(
    context.pending,
    { seq: deliverySeq, event },
    isCrowded,
  );
  const droppedDeliveries = context.droppedDeliveries + dropped;
  return { change: { pending, deliverySeq, droppedDeliveries }, deliveries: changes };
};

const afterReminder = (context: CheckContext, fact: ReminderFact): CheckStep => {
  const reminder = remind(context, fact);
  if (reminder === null) return unapplied('ignored', context);
  const next = { ...context, event: reminder.stored };
  if (reminder.told === null) return unapplied('noted', next);
  if (fact.undeliveredTrace !== undefined)
    return unapplied('noted', { ...next, lastTrace: fact.undeliveredTrace });
  if (!needsDelivery(reminder.told)) return unapplied('noted', next);
  const { change, deliveries } = delivering(context, reminder.told, fact.isCrowded);
  return { ...unapplied('noted', { ...next, ...change }), deliveries };
};

const noted = (context: CheckContext, event: CheckEvent | null): CheckStep =>
  event === null ? unapplied('ignored', context) : unapplied('noted', { ...context, event });

/** Whether the check is acknowledged before and no longer afterwards. */
export const endsAcknowledgement = (context: CheckContext, step: CheckStep): boolean =>
  acknowledgementOf(context.event) !== undefined && acknowledgementOf(step.context.event) === undefined;

const apply = (
  context: CheckContext,
  incoming: CheckEvent,
  around: Circumstances & {
    readonly undeliveredTrace?: unknown;
    readonly isCrowded?: boolean;
    readonly write?: EventWrite | undefined;
  },
  recentIds: string,
): CheckStep => {
  const merged = mergeResult(context.event, incoming, around);
  const next = {
    ...context,
    event: merged.stored,
    since: sinceAfter(context.event, context.since, merged.stored, Math.floor(around.nowMs / 1000)),
    recentIds,
    ttlAtMs: ttlDeadline(merged.stored, around.nowMs),
  };
  let deliveries: DeliveryChanges | undefined;
  if (merged.imported) next.lastTrace = around.write?.importTrace;
  else if (around.undeliveredTrace !== undefined) next.lastTrace = around.undeliveredTrace;
  else if (needsDelivery(merged.whole)) {
    const delivery = delivering(context, merged.whole, around.isCrowded);
    Object.assign(next, delivery.change);
    deliveries = delivery.deliveries;
  }
  const resolved = merged.resolves ? (around.expiring ?? around.silenced) : nobody;
  if (resolved.length > 0)
    next.endingSilences = [...new Set([...(context.endingSilences ?? nobody), ...resolved])];
  const step: CheckStep = { outcome: merged.state, context: next, resolved };
  return deliveries === undefined ? step : { ...step, deliveries };
};

/** Pure. What a fact does to a check that is in this context. Undefined for those whose guards need no decision. */
export const decideCheck = (context: CheckContext, fact: CheckFact): CheckStep | undefined => {
  if (fact.type === 'result.received') return afterResult(context, fact);
  if (fact.type === 'deadline.reached')
    return fact.name === 'ttl' ? afterDeadline(context, fact) : afterReminder(context, fact);
  if (fact.type === 'incident.acknowledged') return noted(context, acknowledge(context, fact));
  if (fact.type === 'incident.released') return noted(context, withdraw(context));
  if (fact.type === 'incident.noted') return noted(context, addNote(context, fact));
  return undefined;
};

/** The decision about a fact, which travels with it: the machine names `decideCheck` as the question its guards share. */
export const stepOf = (fact: CheckFact): CheckStep => {
  const { decision } = fact as { readonly decision?: CheckStep };
  if (decision === undefined)
    throw new Error(`check machine: ${fact.type} came without its decision, which the runtime adds`);
  return decision;
};

/** The decision about a fact; undefined when it needs none. */
export const decisionOf = (fact: CheckFact): CheckStep | undefined =>
  (fact as { readonly decision?: CheckStep }).decision;
