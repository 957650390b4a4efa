// Messages of one shard that this backend holds until they are settled, in order. At most one batch at a time carries messages
// of a shard, so they arrive in order also when a batch has to be offered again.
import { maxShardRestMs, minShardRestMs } from './limits.ts';
import type { ForwardReceipt } from './outcome.ts';

export interface Held {
  readonly shard: number;
  readonly seq: number;
  readonly to: string;
  readonly payload: Uint8Array;
  /** In a batch. */
  readonly bytes: number;
  /** Given up after this, monotonic. */
  readonly untilMs: number;
  readonly receipt: ForwardReceipt;
  /** It was in a batch that may have arrived. */
  wasSent: boolean;
}

/** idle: holds nothing. ready: waits for the next batch. sent: in a batch. resting: offered again later. */
export type ShardState = 'idle' | 'ready' | 'sent' | 'resting';

export class ShardQueue {
  readonly shard: number;
  state: ShardState = 'idle';
  /** Those that no batch carries at the moment; the oldest first. */
  waiting: Held[] = [];
  /** Ends a rest early. */
  stopRest: (() => void) | undefined;
  #seq = 0;
  #restMs = 0;

  constructor(shard: number) {
    this.shard = shard;
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /** The front of the queue that fits, in order; it leaves the queue. */
  take(maxMessages: number, maxBytes: number): readonly Held[] {
    let [count, bytes] = [0, 0];
    for (const held of this.waiting) {
      bytes += held.bytes;
      if (count === maxMessages || bytes > maxBytes) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  /** Back to the front, in their order. */
  giveBack(unsettled: readonly Held[]): void {
    if (unsettled.length > 0) this.waiting = [...unsettled, ...this.waiting];
  }

  /** Takes out those whose time is over. */
  overdue(nowMs: number): readonly Held[] {
    const first = this.waiting[0];
    if (first === undefined || first.untilMs > nowMs) return [];
    const over = this.waiting.filter(({ untilMs }) => untilMs <= nowMs);
    this.waiting = this.waiting.filter(({ untilMs }) => untilMs > nowMs);
    return over;
  }

  /** The pause before the next offer: longer each time until `worked` is called. */
  nextRestMs(random: () => number): number {
    this.#restMs = Math.min(maxShardRestMs, this.#restMs === 0 ? minShardRestMs : this.#restMs * 2);
    return this.#restMs * (0.5 + random() / 2);
  }

  worked(): void {
    this.#restMs = 0;
  }
}
