// The delivery queue, the last step on the agent: events wait in order for a connection, are sent, and stay until
// the backend acknowledges or rejects them. The statechart decides what is sent when; this file stores the events,
// sends them, and reports the outcome of each.
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
  /** Whether the backend sends acknowledgements. */
  readonly acknowledges: boolean;
  send(event: Event, sent: (error?: Error) => void): void;
}

export interface DeliveryQueue {
  /** Enqueues an event that has an id. `settled` is called once with the outcome. */
  enqueue(event: Event, settled?: (delivery: Delivery) => void): void;
  /** Connected: unacknowledged events are sent first. */
  open(outlet: Outlet): void;
  /** Disconnected: unacknowledged events are kept. */
  close(): void;
  acknowledged(ids: readonly string[], refused: readonly RefusedEvent[]): void;
  state(): SnapshotFrom<typeof deliveryQueueMachine>['value'];
  /** Number of unsettled events. */
  size(): number;
  /** Number of sent, unsettled events. */
  underWay(): number;
  /** Calls back once no sent event is unsettled, possibly immediately. */
  whenQuiet(run: () => void): void;
}

interface Entry {
  readonly event: Event;
  readonly settled: (delivery: Delivery) => void;
}

/** An estimate for the memory limit, without encoding the event. */
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
        'event dropped: too many events are waiting for a backend',
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
          log.error({ check, event_uuid: id, error: message }, 'the backend rejected an event permanently');
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
