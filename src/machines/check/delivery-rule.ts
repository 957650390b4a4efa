// Delivery: which events have somebody to tell, and which waiting one goes when too many wait.
import type { Event } from '../../model/event/event.ts';
import { isObject } from '../../model/schema/is-object.ts';
import { maxPendingDeliveries, maxPendingDeliveryBytes } from '../limits.ts';
import type { DeliveryChanges, PendingDelivery } from './check-facts.ts';
import { isStatusChange } from './history-rule.ts';

const some = (list: readonly unknown[] | null | undefined): boolean =>
  list !== null && list !== undefined && list.length > 0;

/** Names a handler or a pipeline somewhere (backend sheet 6.1). Nothing else needs the pipelines at all. */
export const needsDelivery = (event: Event): boolean =>
  some(event.check?.handlers) ||
  some(event.metrics?.handlers) ||
  some(event.pipelines) ||
  some(event.check?.pipelines);

const tellsChange = ({ check }: Event): boolean =>
  check?.history === null || check === undefined || isStatusChange(check.history);

const sizeOf = (event: Event): number => Buffer.byteLength(JSON.stringify(event));

export interface Queued {
  readonly pending: readonly PendingDelivery[];
  readonly changes: DeliveryChanges;
  /** How many were given up; the new one may be among them, and never gets a record then. */
  readonly dropped: number;
}

/** The place of what matters least among those that wait. The head is under way and stays. */
const leastOf = (pending: readonly PendingDelivery[]): number => {
  const repetition = pending.findIndex(({ isChange }, at) => at > 0 && !isChange);
  return repetition === -1 ? 1 : repetition;
};

const nothing: readonly never[] = [];

/**
 * Puts a delivery at the end. Past the bounds in number or bytes the oldest waiting repetition goes, so that changes of status
 * are still told; when everything that waits is a change, the oldest change goes. The head is under way and never goes, and one
 * always waits, however large it is; while it is crowded, no more than that one.
 */
export const queueDelivery = (
  pending: readonly PendingDelivery[],
  { seq, event }: { readonly seq: number; readonly event: Event },
  isCrowded = false,
): Queued => {
  const waits = pending.length > 0;
  // What is delivered at once is not measured: that takes as long as writing it down.
  const bytes = waits ? sizeOf(event) : 0;
  const next: PendingDelivery[] = [...pending, { seq, bytes, isChange: tellsChange(event) }];
  const added = [{ seq, event, bytes }];
  if (!waits) return { pending: next, changes: { added, finished: nothing, dropped: nothing }, dropped: 0 };
  const maxDeliveries = isCrowded ? 2 : maxPendingDeliveries;
  let waitingBytes = next.reduce((sum, waiting, at) => (at === 0 ? sum : sum + waiting.bytes), 0);
  const dropped: number[] = [];
  while (next.length > 2 && (next.length > maxDeliveries || waitingBytes > maxPendingDeliveryBytes)) {
    const at = leastOf(next);
    waitingBytes -= next[at]?.bytes ?? 0;
    dropped.push(...next.splice(at, 1).map((given) => given.seq));
  }
  const changes: DeliveryChanges = {
    added: dropped.includes(seq) ? nothing : added,
    finished: nothing,
    dropped: dropped.filter((given) => given !== seq),
  };
  return { pending: next, changes, dropped: dropped.length };
};

export const finishedDelivery = (seq: number): DeliveryChanges => ({
  added: nothing,
  finished: [seq],
  dropped: nothing,
});

interface OldDelivery {
  readonly seq: number;
  readonly event: Event;
  readonly bytes?: number;
}

/** A delivery as records of version 1 and 2 hold it: with its event. Throws when it is none. */
export const fromOldDelivery = (delivery: unknown): PendingDelivery => {
  if (!isObject(delivery) || typeof delivery['seq'] !== 'number' || !isObject(delivery['event']))
    throw new TypeError('context.pending holds something that is no delivery');
  const { seq, event, bytes } = delivery as unknown as OldDelivery;
  return { seq, bytes: bytes ?? sizeOf(event), isChange: tellsChange(event), event };
};

export const carriesEvents = (pending: readonly PendingDelivery[]): boolean =>
  pending.some(({ event }) => event !== undefined);

/** Takes the events out, each into what becomes a record of its own. */
export const withoutEvents = (pending: readonly PendingDelivery[]): Pick<Queued, 'pending' | 'changes'> => ({
  pending: pending.map(({ seq, bytes, isChange }) => ({ seq, bytes, isChange })),
  changes: {
    added: pending.flatMap(({ seq, bytes, event }) => (event === undefined ? [] : [{ seq, bytes, event }])),
    finished: nothing,
    dropped: nothing,
  },
});
