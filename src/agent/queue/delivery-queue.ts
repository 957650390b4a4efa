// The delivery queue, the last step on the agent: events wait in order for a connection, are sent, and stay until
// the backend acknowledges or rejects them. The statechart decides what is sent when; this file stores the events,
// sends them, and reports the outcome of each. It also keeps them over a crash of the actor, whose next life starts
// with all unsettled events; the backend recognizes repeated ones by their ids.
import type { SnapshotFrom } from 'xstate';
import type { Outcome, Receipt } from '../../actors/runtime/contract.ts';
import { deliveryQueueMachine } from '../../machines/delivery-queue/delivery-queue-machine.ts';
import type {
  Delivery,
  DeliveryLimits,
  DeliveryQueueContext,
  DeliveryQueueEffect,
  DeliveryQueueFact,
  Queued,
} from '../../machines/delivery-queue/delivery-queue-rule.ts';
import type { Event } from '../../model/event/event.ts';
import type { Logger } from '../../program/log.ts';
import { maxUnackedEvents } from '../../wire/limits.ts';
import type { RefusedEvent } from '../../wire/messages.ts';
import { maxWaitingBytes, maxWaitingEvents } from '../limits.ts';
import { type Behaviour, mailbox, type Supervision } from '../supervision.ts';

interface Outlet {
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
  readonly queued: Queued;
  readonly event: Event;
  /** The actor has it: it is kept over a crash. Until then its message waits in the mailbox. */
  isTaken: boolean;
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

const actorId = 'queue';
const tooMany = 'too many events are waiting for a backend';
const crashed = 'the delivery queue crashed on it';

export const createDeliveryQueue = (
  supervision: Supervision,
  log: Logger,
  limits = ownLimits,
): DeliveryQueue => {
  const entries = new Map<number, Entry>();
  let lastKey = 0;
  let outlet: Outlet | undefined;
  let quietListeners: readonly (() => void)[] = [];

  const snapshot = () =>
    supervision.snapshot(actorId) as SnapshotFrom<typeof deliveryQueueMachine> | undefined;
  const underWay = (): DeliveryQueueContext['underWay'] => snapshot()?.context.underWay ?? [];
  const tell = (fact: DeliveryQueueFact, receipt?: Receipt) => supervision.tell(actorId, fact, receipt);

  const send = ({ event, queued: { key } }: Entry) => {
    const current = outlet;
    current?.send(event, (error) => {
      if (outlet === current && error === undefined) tell({ type: 'event.left', key });
    });
  };

  const settle = ({ queued, settled }: Entry, delivery: Delivery) => {
    entries.delete(queued.key);
    settled(delivery);
  };

  const drop = (entry: Entry, why: string) => {
    const { check, entity, id } = entry.event;
    log.error(
      {
        check: check?.metadata.name,
        entity: entity.metadata.name,
        event_uuid: id,
        waiting: entries.size - 1,
      },
      `event dropped: ${why}`,
    );
    settle(entry, 'dropped');
  };

  /** What becomes of an event that the actor did not take. */
  const notTaken = (entry: Entry, outcome: Exclude<Outcome, { type: 'done' }>) => {
    // Its next life starts with the event, unless there are more than it may keep.
    const isKept = outcome.type === 'busy' && outcome.why === 'restarting';
    if (isKept && entries.size <= limits.waiting) entry.isTaken = true;
    else if (isKept) drop(entry, tooMany);
    else if (outcome.type !== 'poison') drop(entry, outcome.type === 'busy' ? outcome.message : crashed);
    else {
      log.error({ event_uuid: entry.event.id }, `event discarded: ${crashed} twice`);
      settle(entry, 'refused');
    }
  };

  const callQuietListeners = () => {
    if (quietListeners.length === 0 || underWay().length > 0) return;
    const listeners = quietListeners;
    quietListeners = [];
    for (const run of listeners) run();
  };

  const behaviour: Behaviour<DeliveryQueueEffect> = {
    machine: deliveryQueueMachine,
    mailbox,
    begin: () => ({
      input: {
        limits,
        waiting: [...entries.values()].flatMap(({ isTaken, queued }) => (isTaken ? [queued] : [])),
      },
    }),
    firstMessage: () =>
      outlet === undefined ? undefined : { type: 'line.opened', acknowledges: outlet.acknowledges },
    perform: (effect) => {
      const entry = entries.get(effect.key);
      if (entry === undefined) return;
      if (effect.type === 'event.send') return send(entry);
      if (effect.delivery === 'dropped') drop(entry, tooMany);
      else settle(entry, effect.delivery);
      callQuietListeners();
    },
    messageKey: (message) => {
      const fact = message as DeliveryQueueFact;
      return fact.type === 'event.queued' ? fact.queued.id : undefined;
    },
  };
  supervision.start({ id: actorId, behaviour });

  return {
    enqueue: (event, settled = () => {}) => {
      lastKey += 1;
      const queued = { key: lastKey, id: event.id ?? '', bytes: roughBytes(event) };
      const entry: Entry = { queued, event, settled, isTaken: false };
      entries.set(lastKey, entry);
      tell({ type: 'event.queued', queued }, (outcome) => {
        if (outcome.type === 'done') entry.isTaken = true;
        else notTaken(entry, outcome);
      });
    },
    open: (next) => {
      tell({ type: 'line.closed' });
      outlet = next;
      tell({ type: 'line.opened', acknowledges: next.acknowledges });
    },
    close: () => {
      outlet = undefined;
      tell({ type: 'line.closed' });
    },
    acknowledged: (ids, refused) => {
      for (const { id, message } of refused) {
        const known = underWay().find((queued) => queued.id === id);
        const check = known && entries.get(known.key)?.event.check?.metadata.name;
        if (known !== undefined)
          log.error({ check, event_uuid: id, error: message }, 'the backend rejected an event permanently');
      }
      tell({ type: 'events.answered', delivered: ids, refused: refused.map(({ id }) => id) });
    },
    state: () => snapshot()?.value ?? 'offline',
    size: () => entries.size,
    underWay: () => underWay().length,
    whenQuiet: (run) => {
      if (underWay().length === 0) run();
      else quietListeners = [...quietListeners, run];
    },
  };
};
