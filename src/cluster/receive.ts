// The owner's half of forwarding: applies the messages of a batch and replies with what became of each after its commit.
//
// A batch may come twice, or again after its reply was lost. A sender offers the messages of a shard one batch at a time, in
// order, and the next batch only when all before it are settled or come again in front. So it is enough to remember, for each
// sender and shard, the outcomes since the first message of its last batch, and the highest number seen.

import {
  type Batch,
  type BatchMessage,
  decodeBatch,
  encodeReply,
  type Settlement,
  unreadableReply,
} from './batch-codec.ts';
import type { Bus, BusMessage, BusReport } from './bus.ts';
import type { ClusterClock } from './clock.ts';
import { maxRememberedSenders, maxSettleMs } from './limits.ts';
import type { ForwardOutcome, ForwardReceipt } from './outcome.ts';

export interface ReceivePorts {
  /** Whether this backend takes messages for the shard now, and the latest epoch of the shard it knows of. */
  readonly holds: (shard: number) => { readonly isMine: boolean; readonly epoch: number };
  /** Applies a message. The receipt is told once, after the commit. */
  readonly apply: (shard: number, to: string, payload: Uint8Array, receipt: ForwardReceipt) => void;
}

export interface ReceiverOptions {
  readonly bus: Bus;
  readonly subject: string;
  readonly clock: ClusterClock;
  readonly ports: ReceivePorts;
  readonly report: BusReport;
}

/** A message that was applied. */
class Applied {
  outcome: ForwardOutcome | undefined;
  /** Replies that wait for the outcome. */
  waiting: (() => void)[] = [];

  settle(outcome: ForwardOutcome): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    for (const tell of this.waiting.splice(0)) tell();
  }
}

interface ShardBook {
  last: number;
  readonly applied: Map<number, Applied>;
}

type SenderBook = Map<number, ShardBook>;

export class Receiver {
  readonly #options: ReceiverOptions;
  /** The sender that was heard of last is the last one. */
  readonly #senders = new Map<string, SenderBook>();
  readonly #unsubscribe: () => void;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#unsubscribe = options.bus.subscribe(options.subject, (message) => this.#received(message));
  }

  /** Takes nothing more. Replies that are open are still sent, as long as the bus is. */
  close(): void {
    this.#unsubscribe();
  }

  #received(message: BusMessage): Promise<void> | undefined {
    let batch: Batch;
    try {
      batch = decodeBatch(message.data);
    } catch (error) {
      this.#options.report('warn', `a batch from another backend can't be read: ${(error as Error).message}`);
      message.respond(unreadableReply);
      return undefined;
    }
    return this.#apply(batch, message);
  }

  async #apply({ sender, messages }: Batch, message: BusMessage): Promise<void> {
    const book = this.#bookOf(sender);
    const begun = new Set<number>();
    const taken = messages.map((each) => {
      if (!begun.has(each.shard)) forgetBefore(book.get(each.shard), each.seq);
      begun.add(each.shard);
      return this.#take(book, each);
    });
    await this.#settled(taken.filter((each) => each instanceof Applied));
    message.respond(encodeReply(taken.map(settlementOf), this.#options.bus.maxPayloadBytes));
  }

  /** What was applied, or why it was not. */
  #take(book: SenderBook, { shard, seq, to, payload }: BatchMessage): Applied | Settlement {
    const known = book.get(shard);
    const before = known?.applied.get(seq);
    // Applied here before the shard moved away: its outcome counts, and the new owner must not apply it as well.
    if (before !== undefined) return before;
    if (known !== undefined && seq <= known.last) return { type: 'forgotten' };
    const { isMine, epoch } = this.#options.ports.holds(shard);
    if (!isMine) return { type: 'notMine', epoch };
    const applied = new Applied();
    const shardBook = known ?? { last: 0, applied: new Map<number, Applied>() };
    shardBook.last = seq;
    shardBook.applied.set(seq, applied);
    book.set(shard, shardBook);
    try {
      this.#options.ports.apply(shard, to, payload, (outcome) => applied.settle(outcome));
    } catch (error) {
      applied.settle({ type: 'fault', detail: 'internal', message: (error as Error).message });
    }
    return applied;
  }

  /** Resolves when all have an outcome, or when the sender must not wait longer. */
  #settled(applied: readonly Applied[]): Promise<void> {
    const open = applied.filter(({ outcome }) => outcome === undefined);
    if (open.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      let left = open.length;
      const stopTimer = this.#options.clock.setTimer(resolve, maxSettleMs);
      for (const each of open)
        each.waiting.push(() => {
          left -= 1;
          if (left > 0) return;
          stopTimer();
          resolve();
        });
    });
  }

  #bookOf(sender: string): SenderBook {
    const book = this.#senders.get(sender) ?? new Map<number, ShardBook>();
    this.#senders.delete(sender);
    this.#senders.set(sender, book);
    if (this.#senders.size > maxRememberedSenders)
      for (const oldest of this.#senders.keys()) {
        this.#senders.delete(oldest);
        break;
      }
    return book;
  }
}

const forgetBefore = (book: ShardBook | undefined, seq: number): void => {
  if (book === undefined) return;
  for (const [each, { outcome }] of book.applied)
    if (each < seq && outcome !== undefined) book.applied.delete(each);
};

const settlementOf = (taken: Applied | Settlement): Settlement => {
  if (!(taken instanceof Applied)) return taken;
  return taken.outcome === undefined ? { type: 'pending' } : { type: 'settled', outcome: taken.outcome };
};
