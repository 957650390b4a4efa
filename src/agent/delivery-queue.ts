// Delivery queue: the last step of an event's road on this machine. Events wait here in order until there is a line,
// go out, and stay until the backend has told what became of them; after a reconnect they go out again, same id, same
// order. A backend that grants no acknowledgements is believed as soon as the bytes have left.
import type { Event } from '../model/event.ts';
import type { Logger } from '../program/log.ts';
import { maxUnackedEvents } from '../wire/limits.ts';
import type { RefusedEvent } from '../wire/messages.ts';
import { maxWaitingBytes, maxWaitingEvents } from './limits.ts';

/** What became of an event. `dropped`: never sent, there were too many; the oldest waiting one gives way. */
export type Delivery = 'delivered' | 'refused' | 'dropped';

export interface Outlet {
  /** Whether acknowledgements will come. */
  readonly acknowledges: boolean;
  send(event: Event, sent: (error?: Error) => void): void;
}

export interface DeliveryQueue {
  /** Takes an event that has an id. `settled` is told once what became of it. */
  enqueue(event: Event, settled?: (delivery: Delivery) => void): void;
  /** There is a line: what was under way goes first. */
  open(outlet: Outlet): void;
  /** The line is gone: what was under way is kept. */
  close(): void;
  acknowledged(ids: readonly string[], refused: readonly RefusedEvent[]): void;
  /** Events not yet settled. */
  size(): number;
  /** Events sent and not yet settled. */
  underWay(): number;
  /** Calls back once nothing is under way: at once, or with the last acknowledgement. */
  whenQuiet(run: () => void): void;
}

interface Entry {
  readonly event: Event;
  readonly bytes: number;
  readonly settled: (delivery: Delivery) => void;
}

/** Near enough for a bound on memory, without encoding the event. */
const roughBytes = (event: Event): number =>
  1_000 + (event.check?.output.length ?? 0) * 2 + (event.metrics?.points?.length ?? 0) * 200;

export const createDeliveryQueue = (
  log: Logger,
  limits = { waiting: maxWaitingEvents, waitingBytes: maxWaitingBytes, unacked: maxUnackedEvents },
): DeliveryQueue => {
  const waiting: Entry[] = [];
  let waitingBytes = 0;
  const unacked: Entry[] = [];
  let outlet: Outlet | undefined;
  const quietListeners: (() => void)[] = [];

  const dropOldest = () => {
    const oldest = waiting.shift();
    if (oldest === undefined) return;
    waitingBytes -= oldest.bytes;
    const { check, entity, id } = oldest.event;
    log.error(
      { check: check?.metadata.name, entity: entity.metadata.name, event_uuid: id, waiting: waiting.length },
      'event dropped: too many events wait for a backend',
    );
    oldest.settled('dropped');
  };

  const settle = (match: (entry: Entry) => boolean, delivery: Delivery): Entry | undefined => {
    const at = unacked.findIndex(match);
    const [entry] = at < 0 ? [] : unacked.splice(at, 1);
    entry?.settled(delivery);
    if (unacked.length === 0) for (const run of quietListeners.splice(0)) run();
    return entry;
  };

  const send = (entry: Entry) => {
    const current = outlet;
    current?.send(entry.event, (error) => {
      if (outlet !== current || error !== undefined || current.acknowledges) return;
      settle((other) => other === entry, 'delivered');
      pump();
    });
  };

  const pump = () => {
    while (outlet !== undefined && unacked.length < limits.unacked) {
      const entry = waiting.shift();
      if (entry === undefined) return;
      waitingBytes -= entry.bytes;
      unacked.push(entry);
      send(entry);
    }
  };

  return {
    enqueue: (event, settled = () => {}) => {
      const entry = { event, bytes: roughBytes(event), settled };
      waiting.push(entry);
      waitingBytes += entry.bytes;
      pump();
      while (waiting.length > limits.waiting || (waitingBytes > limits.waitingBytes && waiting.length > 1))
        dropOldest();
    },
    open: (next) => {
      outlet = next;
      for (const entry of [...unacked]) send(entry);
      pump();
    },
    close: () => {
      outlet = undefined;
    },
    acknowledged: (ids, refused) => {
      for (const id of ids) settle((entry) => entry.event.id === id, 'delivered');
      for (const { id, message } of refused) {
        const entry = settle((other) => other.event.id === id, 'refused');
        if (entry === undefined) continue;
        const check = entry.event.check?.metadata.name;
        log.error({ check, event_uuid: id, error: message }, 'the backend refused an event for good');
      }
      pump();
    },
    size: () => waiting.length + unacked.length,
    underWay: () => unacked.length,
    whenQuiet: (run) => {
      if (unacked.length === 0) run();
      else quietListeners.push(run);
    },
  };
};
