// Decides which events of the agent are sent, which stay until the backend answers, and which are dropped.

/** An event in the queue. `key` belongs to the queue, since two events may have the same id. */
export interface Queued {
  readonly key: number;
  readonly id: string;
  /** Approximate memory use. */
  readonly bytes: number;
}

export interface DeliveryLimits {
  /** Maximum number and bytes of waiting events; one event may always wait. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Maximum number of sent, unanswered events. */
  readonly underWay: number;
}

export interface DeliveryQueueContext {
  readonly limits: DeliveryLimits;
  /**
   * Whether the connected backend acknowledges events; if not, an event counts as delivered once it is sent. Null while
   * there is no connection.
   */
  readonly acknowledges: boolean | null;
  /** Not sent yet, oldest first. */
  readonly waiting: readonly Queued[];
  readonly waitingBytes: number;
  /** Sent and unanswered, in the order of sending. */
  readonly underWay: readonly Queued[];
}

export type DeliveryQueueFact =
  | { readonly type: 'event.queued'; readonly queued: Queued }
  | { readonly type: 'line.opened'; readonly acknowledges: boolean }
  | { readonly type: 'line.closed' }
  | { readonly type: 'event.left'; readonly key: number }
  | {
      readonly type: 'events.answered';
      readonly delivered: readonly string[];
      readonly refused: readonly string[];
    };

/** The outcome of an event. `dropped`: never sent, because too many events were waiting. */
export type Delivery = 'delivered' | 'refused' | 'dropped';

export type DeliveryQueueEffect =
  | { readonly type: 'event.send'; readonly key: number }
  | { readonly type: 'event.settle'; readonly key: number; readonly delivery: Delivery };

export interface DeliveryStep {
  readonly next: DeliveryQueueContext;
  readonly effects: readonly DeliveryQueueEffect[];
}

const sizeOf = (queue: readonly Queued[]): number => queue.reduce((sum, { bytes }) => sum + bytes, 0);

/** Disconnected, with events that wait to be sent. */
export const initialQueue = (
  limits: DeliveryLimits,
  waiting: readonly Queued[] = [],
): DeliveryQueueContext => ({
  limits,
  acknowledges: null,
  waiting,
  waitingBytes: sizeOf(waiting),
  underWay: [],
});

const isTooMuch = ({ limits, waiting, waitingBytes }: DeliveryQueueContext): boolean =>
  waiting.length > limits.waiting || (waitingBytes > limits.waitingBytes && waiting.length > 1);

/** Drops the oldest waiting events until the rest fits. */
const makeRoom = (context: DeliveryQueueContext): DeliveryStep => {
  const effects: DeliveryQueueEffect[] = [];
  let next = context;
  while (isTooMuch(next)) {
    const [oldest, ...rest] = next.waiting;
    if (oldest === undefined) break;
    next = { ...next, waiting: rest, waitingBytes: next.waitingBytes - oldest.bytes };
    effects.push({ type: 'event.settle', key: oldest.key, delivery: 'dropped' });
  }
  return { next, effects };
};

/** Sends waiting events in order, as many as may be unanswered. */
const sendWaiting = (context: DeliveryQueueContext): DeliveryStep => {
  const room = Math.max(context.limits.underWay - context.underWay.length, 0);
  const going = context.waiting.slice(0, room);
  if (going.length === 0) return { next: context, effects: [] };
  return {
    next: {
      ...context,
      waiting: context.waiting.slice(going.length),
      waitingBytes: context.waitingBytes - sizeOf(going),
      underWay: [...context.underWay, ...going],
    },
    effects: going.map(({ key }) => ({ type: 'event.send', key })),
  };
};

/** An answer to an id settles the oldest sent event with that id. */
const settle = (
  context: DeliveryQueueContext,
  answers: readonly { readonly match: (queued: Queued) => boolean; readonly delivery: Delivery }[],
): DeliveryStep => {
  const underWay = [...context.underWay];
  const effects = answers.flatMap(({ match, delivery }): DeliveryQueueEffect[] => {
    const at = underWay.findIndex(match);
    const [settled] = at < 0 ? [] : underWay.splice(at, 1);
    return settled === undefined ? [] : [{ type: 'event.settle', key: settled.key, delivery }];
  });
  return effects.length === 0 ? { next: context, effects } : { next: { ...context, underWay }, effects };
};

const then = (first: DeliveryStep, step: (context: DeliveryQueueContext) => DeliveryStep): DeliveryStep => {
  const second = step(first.next);
  return { next: second.next, effects: [...first.effects, ...second.effects] };
};

const queuedUp = (context: DeliveryQueueContext, queued: Queued): DeliveryQueueContext => ({
  ...context,
  waiting: [...context.waiting, queued],
  waitingBytes: context.waitingBytes + queued.bytes,
});

const unchanged = (context: DeliveryQueueContext): DeliveryStep => ({ next: context, effects: [] });

/** Pure. The step that a fact causes; the guard and the actions of one transition share it (`meta.decide`). */
export const decideDelivery = (context: DeliveryQueueContext, fact: DeliveryQueueFact): DeliveryStep => {
  const isConnected = context.acknowledges !== null;
  switch (fact.type) {
    case 'event.queued': {
      const next = queuedUp(context, fact.queued);
      return isConnected ? then(sendWaiting(next), makeRoom) : makeRoom(next);
    }
    case 'line.opened': {
      // The old connection may have lost unanswered events: they are sent first, with the same ids.
      const again = context.underWay.map(({ key }): DeliveryQueueEffect => ({ type: 'event.send', key }));
      const next = { ...context, acknowledges: fact.acknowledges };
      return then({ next, effects: again }, sendWaiting);
    }
    case 'line.closed':
      return unchanged({ ...context, acknowledges: null });
    case 'event.left': {
      if (!isConnected || context.acknowledges === true) return unchanged(context);
      const match = ({ key }: Queued) => key === fact.key;
      return then(settle(context, [{ match, delivery: 'delivered' }]), sendWaiting);
    }
    case 'events.answered': {
      if (!isConnected) return unchanged(context);
      const about = (ids: readonly string[], delivery: Delivery) =>
        ids.map((id) => ({ match: (queued: Queued) => queued.id === id, delivery }));
      const answers = [...about(fact.delivered, 'delivered'), ...about(fact.refused, 'refused')];
      return then(settle(context, answers), sendWaiting);
    }
  }
};

/** The decision that travels with a fact. */
export const stepOf = (fact: DeliveryQueueFact): DeliveryStep => {
  const { decision } = fact as { readonly decision?: DeliveryStep };
  if (decision === undefined)
    throw new Error(`delivery queue: ${fact.type} has no decision; the runtime adds it`);
  return decision;
};

export const isFull = ({ limits, underWay }: DeliveryQueueContext): boolean =>
  underWay.length >= limits.underWay;
