// The longest that queues were lately. Lengths are looked at once a second, so that no queue has to tell; a peak is kept for
// at least a minute, so that every scrape in between sees it.
import { msBetweenQueueLooks, queuePeakMs } from './limits.ts';

/** What a queue holds now. */
export interface ShownQueue {
  /** The value of the label `queue`. */
  readonly queue: string;
  /** Undefined when it is not known at the moment. */
  readonly read: () => number | undefined;
  /** Where the queue refuses more, or asks its senders to pause. Undefined: bounded by other means. */
  readonly limit?: number;
}

export class QueuePeaks {
  readonly #queues: readonly ShownQueue[];
  readonly #monotonicMs: () => number;
  readonly #timer: NodeJS.Timeout;
  #sinceMs: number;
  /** Of the span that runs, and of the one before. */
  #now = new Map<string, number>();
  #before = new Map<string, number>();

  constructor(queues: readonly ShownQueue[], monotonicMs: () => number) {
    this.#queues = queues;
    this.#monotonicMs = monotonicMs;
    this.#sinceMs = monotonicMs();
    this.#timer = setInterval(() => this.look(), msBetweenQueueLooks);
    this.#timer.unref();
  }

  /** Looks at every queue. */
  look(): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#sinceMs >= queuePeakMs) {
      this.#before = this.#now;
      this.#now = new Map();
      this.#sinceMs = nowMs;
    }
    for (const { queue, read } of this.#queues) {
      const length = read();
      if (length !== undefined) this.#now.set(queue, Math.max(length, this.#now.get(queue) ?? 0));
    }
  }

  /** The length of this moment counts as well. Undefined when nothing is known of it. */
  of({ queue, read }: ShownQueue): number | undefined {
    const lengths = [read(), this.#now.get(queue), this.#before.get(queue)];
    const known = lengths.filter((length) => length !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
