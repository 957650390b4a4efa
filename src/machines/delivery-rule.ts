// Delivery: which events have somebody to tell, and which waiting one goes when too many wait.
import type { Check } from '../model/check.ts';
import type { Event } from '../model/event.ts';
import type { PendingDelivery } from './check-facts.ts';
import { isStatusChange } from './history-rule.ts';
import { maxPendingDeliveries } from './limits.ts';

const some = (list: readonly unknown[] | null | undefined): boolean =>
  list !== null && list !== undefined && list.length > 0;

/** Names a handler or a pipeline somewhere (backend sheet 6.1). Nothing else needs the pipelines at all. */
export const needsDelivery = (event: Event): boolean =>
  some(event.check?.handlers) ||
  some(event.metrics?.handlers) ||
  some(event.pipelines) ||
  some(event.check?.pipelines);

const tellsChange = (delivery: PendingDelivery): boolean => {
  const check: Check | undefined = delivery.event.check;
  return check?.history === null || check === undefined || isStatusChange(check.history);
};

export interface Queued {
  readonly pending: readonly PendingDelivery[];
  readonly dropped: number;
}

/**
 * Puts a delivery at the end. The head is under way and is never dropped; past the bound the oldest waiting repetition
 * goes, so that changes of status are still told. Only when everything waiting is a change, the oldest change goes.
 */
export const queueDelivery = (pending: readonly PendingDelivery[], delivery: PendingDelivery): Queued => {
  const next = [...pending, delivery];
  if (next.length <= maxPendingDeliveries) return { pending: next, dropped: 0 };
  const repetition = next.findIndex((waiting, index) => index > 0 && !tellsChange(waiting));
  next.splice(repetition === -1 ? 1 : repetition, 1);
  return { pending: next, dropped: 1 };
};
