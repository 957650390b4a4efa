// The way to one other backend: shards that wait for the next batch, and how many batches are on their way.
import { maxBatchMessages } from './limits.ts';
import type { Held, ShardQueue } from './shard-queue.ts';

export class Lane {
  readonly owner: string;
  inFlight = 0;
  stopTimer: (() => void) | undefined;
  #ready: ShardQueue[] = [];
  #messages = 0;
  #bytes = 0;

  constructor(owner: string) {
    this.owner = owner;
  }

  get isEmpty(): boolean {
    return this.#ready.length === 0;
  }

  isFull(maxBytes: number): boolean {
    return this.#messages >= maxBatchMessages || this.#bytes >= maxBytes;
  }

  enqueue(queue: ShardQueue): void {
    queue.state = 'ready';
    this.#ready.push(queue);
    for (const held of queue.waiting) this.grow(held);
  }

  /** One more message of a shard that is ready here. */
  grow({ bytes }: Held): void {
    this.#messages += 1;
    this.#bytes += bytes;
  }

  dequeue(): ShardQueue | undefined {
    const queue = this.#ready.shift();
    for (const held of queue?.waiting ?? []) {
      this.#messages -= 1;
      this.#bytes -= held.bytes;
    }
    return queue;
  }
}
