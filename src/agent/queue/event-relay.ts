// Moves events from the disk queue to the delivery queue, rate limited, and removes each one after the backend has
// accepted or permanently rejected it.

import { createTokenBucket } from '../../model/token-bucket.ts';
import { errorText, type Logger } from '../../program/log.ts';
import type { Cancel, Clock } from '../clock.ts';
import { dropRetryMs } from '../limits.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import type { EventQueue } from './event-queue.ts';

export interface EventRelay {
  /** Call when new events may be available. */
  wake(): void;
  stop(): void;
}

export interface RelayOptions {
  readonly disk: EventQueue;
  readonly queue: DeliveryQueue;
  readonly ratePerSecond: number;
  readonly burst: number;
  /** Maximum number of unsettled events. */
  readonly window: number;
  readonly clock: Clock;
  readonly log: Logger;
}

export const createEventRelay = (options: RelayOptions): EventRelay => {
  const { clock, disk, log, queue } = options;
  const bucket = createTokenBucket(options.ratePerSecond, options.burst, clock.monotonicMs());
  const handedOn = new Set<number>();
  /** Events up to this key were already passed on. */
  let cursor = 0;
  let cancelWait: Cancel | undefined;
  let stopped = false;

  const settled = (key: number) => {
    const done = () => {
      handedOn.delete(key);
      wake();
    };
    disk.remove(key).then(done, (error) => {
      // It stays on disk and marked as passed on; after a restart it is sent again with the same id.
      log.error({ error: errorText(error) }, 'api queue write failed');
    });
  };

  const handOn = (key: number, event: Parameters<DeliveryQueue['enqueue']>[0]) => {
    handedOn.add(key);
    cursor = key;
    queue.enqueue(event, (delivery) => {
      if (stopped) return;
      if (delivery !== 'dropped') return settled(key);
      handedOn.delete(key);
      cursor = Math.min(cursor, key - 1);
      wakeIn(dropRetryMs);
    });
  };

  const wakeIn = (delayMs: number) => {
    cancelWait ??= clock.after(delayMs, () => {
      cancelWait = undefined;
      wake();
    });
  };

  const wake = () => {
    if (stopped || cancelWait !== undefined) return;
    const room = options.window - handedOn.size;
    if (room <= 0) return;
    for (const { key, event } of disk.after(cursor, room)) {
      if (handedOn.has(key)) continue;
      if (handedOn.size >= options.window) return;
      const waitMs = bucket.take(clock.monotonicMs());
      if (waitMs > 0) {
        wakeIn(waitMs);
        return;
      }
      handOn(key, event);
    }
  };

  return {
    wake,
    stop: () => {
      stopped = true;
      cancelWait?.();
    },
  };
};
