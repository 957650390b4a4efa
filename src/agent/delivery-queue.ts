// Delivery queue: the last step of an event's road on this machine. Events wait here in order until there is a line,
// go out, and stay until the backend has told what became of them. What goes when, the statechart decides; this file
// holds the events, sends them, and tells what became of each.
import { createActor, type SnapshotFrom } from 'xstate';
import { deliveryQueueMachine } from '../machines/delivery-queue/delivery-queue-machine.ts';
import type {
  Delivery,
  DeliveryLimits,
  DeliveryQueueEffect,
} from '../machines/delivery-queue/delivery-queue-rule.ts';
import type { Event } from '../model/event.ts';
import type { Logger } from '../program/log.ts';
import { maxUnackedEvents } from '../wire/limits.ts';
import type { RefusedEvent } from '../wire/messages.ts';
import { maxWaitingBytes, maxWaitingEvents } from './limits.ts';

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
  state(): SnapshotFrom<typeof deliveryQueueMachine>['value'];
  /** Events not yet settled. */
  size(): number;
  /** Events sent and not yet settled. */
  underWay(): number;
  /** Calls back once nothing is under way: at once, or with the last acknowledgement. */
  whenQuiet(run: () => void): void;
}

interface Entry {
  readonly event: Event;
  readonly settled: (delivery: Delivery) => void;
}

/** Near enough for a bound on memory, without encoding the event. */
const roughBytes = (event: Event): number =>
  1_000 + (event.check?.output.length ?? 0) * 2 + (event.metrics?.points?.length ?? 0) * 200;

const ownLimits: DeliveryLimits = {
  waiting: maxWaitingEvents,
  waitingBytes: maxWaitingBytes,
  underWay: maxUnackedEvents,
};

export const createDeliveryQueue = (log: Logger, limits = ownLimits): DeliveryQueue => {
  const entries = new Map<number, Entry>();
  const actor = createActor(deliveryQueueMachine, { input: { limits } });
  let lastKey = 0;
  let outlet: Outlet | undefined;
  let quietListeners: readonly (() => void)[] = [];

  const context = () => actor.getSnapshot().context;

  const send = (key: number, entry: Entry) => {
    const current = outlet;
    current?.send(entry.event, (error) => {
      if (outlet === current && error === undefined) actor.send({ type: 'event.left', key });
    });
  };

  const settle = (key: number, { event, settled }: Entry, delivery: Delivery) => {
    entries.delete(key);
    if (delivery === 'dropped') {
      const { check, entity, id } = event;
      log.error(
        { check: check?.metadata.name, entity: entity.metadata.name, event_uuid: id, waiting: entries.size },
        'event dropped: too many events wait for a backend',
      );
    }
    settled(delivery);
  };

  const perform = (effect: DeliveryQueueEffect): void => {
    const entry = entries.get(effect.key);
    if (entry === undefined) return;
    if (effect.type === 'event.send') send(effect.key, entry);
    else settle(effect.key, entry, effect.delivery);
  };
  actor.on('*', perform);
  actor.subscribe(({ context: { underWay } }) => {
    if (underWay.length > 0) return;
    const told = quietListeners;
    quietListeners = [];
    for (const run of told) run();
  });
  actor.start();

  return {
    enqueue: (event, settled = () => {}) => {
      lastKey += 1;
      entries.set(lastKey, { event, settled });
      const queued = { key: lastKey, id: event.id ?? '', bytes: roughBytes(event) };
      actor.send({ type: 'event.queued', queued });
    },
    open: (next) => {
      actor.send({ type: 'line.closed' });
      outlet = next;
      actor.send({ type: 'line.opened', acknowledges: next.acknowledges });
    },
    close: () => {
      outlet = undefined;
      actor.send({ type: 'line.closed' });
    },
    acknowledged: (ids, refused) => {
      for (const { id, message } of refused) {
        const known = context().underWay.find((queued) => queued.id === id);
        const check = known && entries.get(known.key)?.event.check?.metadata.name;
        if (known !== undefined)
          log.error({ check, event_uuid: id, error: message }, 'the backend refused an event for good');
      }
      actor.send({ type: 'events.answered', delivered: ids, refused: refused.map(({ id }) => id) });
    },
    state: () => actor.getSnapshot().value,
    size: () => entries.size,
    underWay: () => context().underWay.length,
    whenQuiet: (run) => {
      if (context().underWay.length === 0) run();
      else quietListeners = [...quietListeners, run];
    },
  };
};
