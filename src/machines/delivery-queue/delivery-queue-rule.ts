// What becomes of the events that wait on an agent: which go out, which stay until they are answered, which give way.

/** An event in the queue; `key` is the queue's own, for an id may come twice. */
export interface Queued {
  readonly key: number;
  readonly id: string;
  /** Roughly what it takes of the memory. */
  readonly bytes: number;
}

export interface DeliveryLimits {
  /** Most events that wait, and most bytes of them; one event may always wait. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Most events under way without an answer. */
  readonly underWay: number;
}

export interface DeliveryQueueContext {
  readonly limits: DeliveryLimits;
  /** Whether the backend of this line answers; otherwise it is believed as soon as the bytes have left. */
  readonly acknowledges: boolean;
  /** Not sent yet, oldest first. */
  readonly waiting: readonly Queued[];
  readonly waitingBytes: number;
  /** Sent and not answered, in the order of sending. */
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

/** What became of an event. `dropped`: never sent, there were too many; the oldest waiting one gives way. */
export type Delivery = 'delivered' | 'refused' | 'dropped';

export type DeliveryQueueEffect =
  | { readonly type: 'event.send'; readonly key: number }
  | { readonly type: 'event.settle'; readonly key: number; readonly delivery: Delivery };

export interface DeliveryStep {
  readonly next: DeliveryQueueContext;
  readonly effects: readonly DeliveryQueueEffect[];
}

const sizeOf = (queue: readonly Queued[]): number => queue.reduce((sum, { bytes }) => sum + bytes, 0);

const isTooMuch = ({ limits, waiting, waitingBytes }: DeliveryQueueContext): boolean =>
  waiting.length > limits.waiting || (waitingBytes > limits.waitingBytes && waiting.length > 1);

/** The oldest give way until the rest fits. */
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

/** Sends as much of what waits as may be under way, in order. */
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

/** Each answer is about the oldest event under way of its id. */
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

/** Pure. What a fact means while there is no line. */
export const stepOffline = (context: DeliveryQueueContext, fact: DeliveryQueueFact): DeliveryStep =>
  fact.type === 'event.queued' ? makeRoom(queuedUp(context, fact.queued)) : { next: context, effects: [] };

const decideOnLine = (context: DeliveryQueueContext, fact: DeliveryQueueFact): DeliveryStep => {
  switch (fact.type) {
    case 'event.queued':
      return then(sendWaiting(queuedUp(context, fact.queued)), makeRoom);
    case 'line.opened': {
      // What was under way may have been lost with the old line: it goes first, with the same ids.
      const again = context.underWay.map(({ key }): DeliveryQueueEffect => ({ type: 'event.send', key }));
      const next = { ...context, acknowledges: fact.acknowledges };
      return then({ next, effects: again }, sendWaiting);
    }
    case 'event.left': {
      if (context.acknowledges) return { next: context, effects: [] };
      const match = ({ key }: Queued) => key === fact.key;
      return then(settle(context, [{ match, delivery: 'delivered' }]), sendWaiting);
    }
    case 'events.answered': {
      const about = (ids: readonly string[], delivery: Delivery) =>
        ids.map((id) => ({ match: (queued: Queued) => queued.id === id, delivery }));
      const answers = [...about(fact.delivered, 'delivered'), ...about(fact.refused, 'refused')];
      return then(settle(context, answers), sendWaiting);
    }
    case 'line.closed':
      return { next: context, effects: [] };
  }
};

let last: { context: DeliveryQueueContext; fact: DeliveryQueueFact; step: DeliveryStep } | undefined;

/**
 * What a fact means while there is a line. Pure; remembers its last answer, because one transition asks the same question
 * from its guard and from its actions.
 */
export const stepOnLine = (context: DeliveryQueueContext, fact: DeliveryQueueFact): DeliveryStep => {
  if (last?.context !== context || last.fact !== fact)
    last = { context, fact, step: decideOnLine(context, fact) };
  return last.step;
};

export const isFull = ({ limits, underWay }: DeliveryQueueContext): boolean =>
  underWay.length >= limits.underWay;
