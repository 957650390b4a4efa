// The delivery queue machine: the events of an agent between their making and the backend's answer (agent sheet 3.2, 5.2).
//   offline  a line
//   flowing  further events; each goes out at once
//   full     answers; what comes meanwhile waits
// What was sent stays until it is answered; on the next line it goes out again, same id, same order.
import { assign, enqueueActions, setup } from 'xstate';
import {
  type DeliveryLimits,
  type DeliveryQueueContext,
  type DeliveryQueueEffect,
  type DeliveryQueueFact,
  isFull,
  stepOffline,
  stepOnLine,
} from './delivery-queue-rule.ts';

export interface DeliveryQueueInput {
  readonly limits: DeliveryLimits;
}

const machine = setup({
  types: {
    context: {} as DeliveryQueueContext,
    events: {} as DeliveryQueueFact,
    emitted: {} as DeliveryQueueEffect,
    input: {} as DeliveryQueueInput,
  },
  guards: {
    fillsTheWindow: ({ context, event }) => isFull(stepOnLine(context, event).next),
  },
  actions: {
    /** Told first, noted then: both from the same step. */
    dropOldest: enqueueActions(({ context, event, enqueue }) => {
      for (const effect of stepOffline(context, event).effects) enqueue.emit(effect);
    }),
    noteWaiting: assign(({ context, event }) => stepOffline(context, event).next),
    sendAndSettle: enqueueActions(({ context, event, enqueue }) => {
      for (const effect of stepOnLine(context, event).effects) enqueue.emit(effect);
    }),
    noteOnLine: assign(({ context, event }) => stepOnLine(context, event).next),
  },
});

const onLine = ['sendAndSettle', 'noteOnLine'] as const;
const moving = [
  { guard: 'fillsTheWindow', target: 'full', actions: onLine },
  { target: 'flowing', actions: onLine },
] as const;

export const deliveryQueueMachine = machine.createMachine({
  id: 'deliveryQueue',
  initial: 'offline',
  description: 'The events of an agent on their way to the backend.',
  context: ({ input }) => ({
    limits: input.limits,
    acknowledges: false,
    waiting: [],
    waitingBytes: 0,
    underWay: [],
  }),
  meta: {
    events: {
      'event.queued': 'An event is to be delivered.',
      'line.opened': 'There is a line to a backend, which answers or does not.',
      'line.closed': 'The line is gone.',
      'event.left': 'The bytes of an event were handed to the system.',
      'events.answered': 'The backend told what became of events.',
    },
  },
  states: {
    offline: {
      description: 'No line: events wait, the oldest give way when there are too many.',
      on: {
        'event.queued': { actions: ['dropOldest', 'noteWaiting'] },
        'line.opened': moving,
      },
    },
    flowing: {
      description: 'A line with room: every event goes out at once.',
      on: {
        'event.queued': [{ guard: 'fillsTheWindow', target: 'full', actions: onLine }, { actions: onLine }],
        'event.left': { actions: onLine },
        'events.answered': { actions: onLine },
        'line.closed': 'offline',
      },
    },
    full: {
      description: 'As many events are under way as may be: the others wait for answers.',
      on: {
        'event.queued': { actions: onLine },
        'event.left': moving,
        'events.answered': moving,
        'line.closed': 'offline',
      },
    },
  },
});
