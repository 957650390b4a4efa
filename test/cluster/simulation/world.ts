// Simulated time: events in order of their time, drawn from one seed. Nothing here knows what is simulated.
import { seeded } from '../../property.ts';

export interface World {
  readonly nowMs: number;
  /** In [0, 1). */
  random(): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  after(delayMs: number, work: () => void): void;
  /** Runs everything that is due before `untilMs`. */
  run(untilMs: number): void;
}

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly work: () => void;
}

const isBefore = (a: Due, b: Due): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

export const createWorld = (seed: number): World => {
  const random = seeded(seed);
  /** A binary heap. */
  const heap: Due[] = [];
  let nowMs = 0;
  let order = 0;

  const push = (due: Due): void => {
    let at = heap.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(due, heap[above] as Due)) break;
      heap[at] = heap[above] as Due;
      at = above;
    }
    heap[at] = due;
  };
  const pop = (): void => {
    const last = heap.pop() as Due;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Due, heap[below] as Due)) below += 1;
      if (!isBefore(heap[below] as Due, last)) break;
      heap[at] = heap[below] as Due;
      at = below;
    }
    heap[at] = last;
  };
  return {
    get nowMs() {
      return nowMs;
    },
    random,
    between: (low, high) => low + random() * (high - low),
    chance: (probability) => random() < probability,
    pick: (items) => {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    after: (delayMs, work) => {
      order += 1;
      push({ atMs: nowMs + delayMs, order, work });
    },
    run: (untilMs) => {
      for (let next = heap[0]; next !== undefined && next.atMs < untilMs; next = heap[0]) {
        pop();
        nowMs = next.atMs;
        next.work();
      }
      nowMs = untilMs;
    },
  };
};
