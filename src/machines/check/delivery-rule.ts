// Delivery: which events have somebody to tell, and which waiting one goes when too many wait.
import type { Check } from '../../model/check.ts';
import type { Event } from '../../model/event.ts';
import { maxPendingDeliveries, maxPendingDeliveryBytes } from '../limits.ts';
import type { PendingDelivery } from './check-facts.ts';
import { isStatusChange } from './history-rule.ts';

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

const sized = (delivery: PendingDelivery): PendingDelivery & { readonly bytes: number } => ({
  ...delivery,
  bytes: delivery.bytes ?? Buffer.byteLength(JSON.stringify(delivery.event)),
});

/** The place of what matters least among those that wait. The head is under way and stays. */
const leastOf = (pending: readonly PendingDelivery[]): number => {
  const repetition = pending.findIndex((waiting, at) => at > 0 && !tellsChange(waiting));
  return repetition === -1 ? 1 : repetition;
};

/**
 * Puts a delivery at the end. Past the bounds in number or bytes the oldest waiting repetition goes, so that changes of status
 * are still told; when everything that waits is a change, the oldest change goes. The head is under way and never goes, and one
 * always waits, however large it is.
 */
export const queueDelivery = (pending: readonly PendingDelivery[], delivery: PendingDelivery): Queued => {
  if (pending.length === 0) return { pending: [delivery], dropped: 0 };
  const next = [...pending, sized(delivery)];
  const bytesOf = (at: number): number => {
    const waiting = sized(next[at] as PendingDelivery);
    next[at] = waiting;
    return waiting.bytes;
  };
  let waitingBytes = 0;
  for (let at = 1; at < next.length; at += 1) waitingBytes += bytesOf(at);
  let dropped = 0;
  while (next.length > 2 && (next.length > maxPendingDeliveries || waitingBytes > maxPendingDeliveryBytes)) {
    const at = leastOf(next);
    waitingBytes -= bytesOf(at);
    next.splice(at, 1);
    dropped += 1;
  }
  return { pending: next, dropped };
};
