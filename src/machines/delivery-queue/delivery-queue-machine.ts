// The delivery queue machine: the events of an agent from creation to the backend's answer.
//   offline  waits for a connection
//   flowing  waits for events; each is sent at once
//   full     waits for answers; new events wait, too
// Sent events stay until they are answered. On the next connection they are sent again, with the same ids and in the
// same order.
import { assign, enqueueActions, setup } from 'xstate';
import {
  type DeliveryLimits,
  type DeliveryQueueContext,
  type DeliveryQueueEffect,
  type DeliveryQueueFact,
  decideDelivery,
  initialQueue,
  isFull,
  type Queued,
  stepOf,
} from './delivery-queue-rule.ts';

interface DeliveryQueueInput {
  readonly limits: DeliveryLimits;
  /** Unsettled events of an earlier life, oldest first; none by default. */
  readonly waiting?: readonly Queued[];
}

const machine = setup({
  types: {
    context: {} as DeliveryQueueContext,
    events: {} as DeliveryQueueFact,
    emitted: {} as DeliveryQueueEffect,
    input: {} as DeliveryQueueInput,
  },
  guards: {
    fillsTheWindow: ({ event }) => isFull(stepOf(event).next),
  },
  actions: {
    sendAndSettle: enqueueActions(({ event, enqueue }) => {
      for (const effect of stepOf(event).effects) enqueue.emit(effect);
    }),
    note: assign(({ event }) => stepOf(event).next),
  },
});

const stepping = ['sendAndSettle', 'note'] as const;
const moving = [
  { guard: 'fillsTheWindow', target: 'full', actions: stepping },
  { target: 'flowing', actions: stepping },
] as const;
const disconnected = { target: 'offline', actions: 'note' } as const;

export const deliveryQueueMachine = machine.createMachine({
  id: 'deliveryQueue',
  initial: 'offline',
  description: 'The events of an agent on their way to the backend.',
  context: ({ input }) => initialQueue(input.limits, input.waiting),
  meta: {
    decide: decideDelivery,
    events: {
      'event.queued': 'A new event is to be delivered.',
      'line.opened': 'The agent connected to a backend, with or without acknowledgements.',
      'line.closed': 'The connection ended.',
      'event.left': 'The event was written to the socket.',
      'events.answered': 'The backend acknowledged or rejected events.',
    },
  },
  states: {
    offline: {
      description: 'Disconnected: events wait; if there are too many, the oldest are dropped.',
      on: {
        'event.queued': { actions: stepping },
        'line.opened': moving,
      },
    },
    flowing: {
      description: 'Connected: every event is sent at once.',
      on: {
        'event.queued': [
          { guard: 'fillsTheWindow', target: 'full', actions: stepping },
          { actions: stepping },
        ],
        'event.left': { actions: stepping },
        'events.answered': { actions: stepping },
        'line.closed': disconnected,
      },
    },
    full: {
      description: 'Connected, and the maximum number of events is unanswered: new events wait.',
      on: {
        'event.queued': { actions: stepping },
        'event.left': moving,
        'events.answered': moving,
        'line.closed': disconnected,
      },
    },
  },
});
