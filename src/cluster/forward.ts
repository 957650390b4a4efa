// The sender's half of forwarding: messages for actors of a shard travel in batches to the backend that owns it, and each sender
// is told once what became of its message, after the owner's commit. What gets no answer is offered again, to whoever owns the
// shard then, with the same number; the owner applies a number once (receive.ts), and over a change of owner the actor knows
// the id of an event it has applied.
//
// Batches are per backend and not per shard: with 256 shards most batches would hold one message.
import { batchHeadBytes, decodeReply, encodeBatch, messageBytes, type Settlement } from './batch-codec.ts';
import { type Bus, BusError, type BusReport } from './bus.ts';
import type { ClusterClock } from './clock.ts';
import { Lane } from './lane.ts';
import {
  batchDelayMs,
  batchReplyMs,
  complaintIntervalMs,
  holdMessageMs,
  maxAddressBytes,
  maxBatchesInFlight,
  maxBatchMessages,
  maxHeldBytes,
  maxHeldMessages,
  shardCount,
} from './limits.ts';
import type { ForwardOutcome, ForwardReceipt } from './outcome.ts';
import { type Held, ShardQueue } from './shard-queue.ts';

export interface ShardOwner {
  readonly backend: string;
  readonly epoch: number;
}

export interface ForwarderOptions {
  readonly bus: Bus;
  readonly clock: ClusterClock;
  /** This backend and its incarnation: an owner tells senders apart by it. */
  readonly sender: string;
  readonly subjectOf: (backend: string) => string;
  /** As far as is known here; undefined while nobody is. */
  readonly ownerOf: (shard: number) => ShardOwner | undefined;
  /** What is known of the owner is out of date: it is not there, or says that another epoch holds. */
  readonly lookUpAgain: (shard: number, epoch: number) => void;
  readonly report: BusReport;
  /** Numbers in [0, 1), for jitter. */
  readonly random?: () => number;
  /** Default: those of limits.ts. */
  readonly limits?: { readonly maxHeldMessages: number; readonly maxHeldBytes: number };
}

/** The part of a batch that one shard has. */
interface Part {
  readonly queue: ShardQueue;
  readonly messages: readonly Held[];
}

const busyOutcome = (message: string): ForwardOutcome => ({ type: 'busy', detail: 'mailboxFull', message });
const stoppedOutcome: ForwardOutcome = {
  type: 'busy',
  detail: 'stopped',
  message: 'this backend is stopping',
};
const outage = (message: string): ForwardOutcome => ({ type: 'outage', detail: 'unavailable', message });

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #random: () => number;
  readonly #queues: readonly ShardQueue[] = Array.from({ length: shardCount }, (_, n) => new ShardQueue(n));
  /** One for each backend that owned a shard lately. */
  readonly #lanes = new Map<string, Lane>();
  /** Where a shard that is ready waits, by its number. */
  readonly #laneOf: (Lane | undefined)[] = Array.from({ length: shardCount });
  readonly #headBytes: number;
  readonly #stopListening: () => void;
  #heldMessages = 0;
  #heldBytes = 0;
  #isClosed = false;
  #quietUntilMs = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#headBytes = batchHeadBytes(options.sender);
    this.#stopListening = options.bus.onState((state) => {
      if (state === 'connected') this.ownersChanged();
    });
  }

  /** What this backend holds for others. */
  get held(): { readonly messages: number; readonly bytes: number } {
    return { messages: this.#heldMessages, bytes: this.#heldBytes };
  }

  /** Never throws. Messages of a shard are applied in the order of these calls. The payload must not be changed afterwards. */
  tell(shard: number, to: string, payload: Uint8Array, receipt: ForwardReceipt): void {
    const queue = this.#queues[shard];
    if (queue === undefined) throw new RangeError(`there is no shard ${shard}`);
    const bytes = messageBytes(to, payload);
    const refusal = this.#refusal(to, bytes);
    if (refusal !== undefined) return receipt(refusal);
    const untilMs = this.#options.clock.monotonicMs() + holdMessageMs;
    const held: Held = { shard, seq: queue.nextSeq(), to, payload, bytes, untilMs, receipt, wasSent: false };
    this.#heldMessages += 1;
    this.#heldBytes += bytes;
    queue.waiting.push(held);
    if (queue.state === 'idle') this.#offer(queue);
    else if (queue.state === 'ready') this.#grew(held);
  }

  /** Shards may have other owners now, or the bus is back: what rests is offered at once. */
  ownersChanged(): void {
    for (const queue of this.#queues)
      if (queue.state === 'resting') {
        queue.stopRest?.();
        this.#offer(queue);
      }
  }

  /** Takes nothing more. What is held is told that its outcome is unknown, or that nothing was done. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    for (const lane of this.#lanes.values()) lane.stopTimer?.();
    for (const queue of this.#queues) {
      queue.stopRest?.();
      this.#abandon(queue);
    }
  }

  #abandon(queue: ShardQueue): void {
    for (const held of queue.waiting.splice(0)) this.#settle(held, gaveUp(held, stoppedOutcome));
  }

  #refusal(to: string, bytes: number): ForwardOutcome | undefined {
    const { bus, limits = { maxHeldMessages, maxHeldBytes } } = this.#options;
    if (this.#isClosed) return stoppedOutcome;
    if (Buffer.byteLength(to) > maxAddressBytes)
      return {
        type: 'invalid',
        detail: 'invalid',
        message: `an address has at most ${maxAddressBytes} bytes`,
      };
    if (this.#headBytes + bytes > bus.maxPayloadBytes) return tooLarge(bytes, bus.maxPayloadBytes);
    if (this.#heldMessages >= limits.maxHeldMessages)
      return busyOutcome(`${limits.maxHeldMessages} messages wait for other backends already`);
    if (this.#heldBytes + bytes > limits.maxHeldBytes)
      return busyOutcome(`${limits.maxHeldBytes} bytes wait for other backends already`);
    return undefined;
  }

  /** Into the next batch for whoever owns the shard. */
  #offer(queue: ShardQueue): void {
    for (const held of queue.overdue(this.#options.clock.monotonicMs()))
      this.#settle(held, gaveUp(held, outage(`no backend took a message of shard ${queue.shard} in time`)));
    if (this.#isClosed) return this.#abandon(queue);
    queue.state = 'idle';
    if (queue.waiting.length === 0) return;
    const owner = this.#options.ownerOf(queue.shard);
    if (owner === undefined) return this.#rest(queue);
    const lane = this.#laneTo(owner.backend);
    this.#laneOf[queue.shard] = lane;
    lane.enqueue(queue);
    this.#flushSoon(lane);
  }

  #grew(held: Held): void {
    const lane = this.#laneOf[held.shard];
    if (lane === undefined) return;
    lane.grow(held);
    this.#flushSoon(lane);
  }

  #rest(queue: ShardQueue, delayMs = queue.nextRestMs(this.#random)): void {
    queue.state = 'resting';
    queue.stopRest = this.#options.clock.setTimer(() => this.#offer(queue), delayMs);
  }

  #laneTo(backend: string): Lane {
    const known = this.#lanes.get(backend);
    if (known !== undefined) return known;
    const lane = new Lane(backend);
    for (const [name, each] of this.#lanes) if (each.isEmpty && each.inFlight === 0) this.#lanes.delete(name);
    this.#lanes.set(backend, lane);
    return lane;
  }

  #flushSoon(lane: Lane): void {
    if (lane.inFlight >= maxBatchesInFlight) return;
    if (lane.isFull(this.#options.bus.maxPayloadBytes - this.#headBytes)) return this.#flush(lane);
    lane.stopTimer ??= this.#options.clock.setTimer(() => this.#flush(lane), batchDelayMs);
  }

  #flush(lane: Lane): void {
    lane.stopTimer?.();
    lane.stopTimer = undefined;
    while (!lane.isEmpty && lane.inFlight < maxBatchesInFlight) {
      const parts = this.#nextBatch(lane);
      if (parts.length > 0) this.#send(lane, parts);
    }
  }

  /** As much as fits; a shard that does not fit whole waits with the rest for the reply, so that its order holds. */
  #nextBatch(lane: Lane): readonly Part[] {
    const parts: Part[] = [];
    let [room, bytes] = [maxBatchMessages, this.#options.bus.maxPayloadBytes - this.#headBytes];
    const passedOn: ShardQueue[] = [];
    while (room > 0 && !lane.isEmpty) {
      const queue = lane.dequeue();
      if (queue === undefined) break;
      if (this.#options.ownerOf(queue.shard)?.backend !== lane.owner) {
        passedOn.push(queue);
        continue;
      }
      queue.state = 'sent';
      this.#refuseLarger(queue);
      const messages = queue.take(room, bytes);
      if (messages.length === 0) {
        if (queue.waiting.length > 0) {
          lane.enqueue(queue);
          break;
        }
        queue.state = 'idle';
        continue;
      }
      room -= messages.length;
      for (const held of messages) {
        bytes -= held.bytes;
        held.wasSent = true;
      }
      parts.push({ queue, messages });
    }
    for (const queue of passedOn) this.#offer(queue);
    return parts;
  }

  /** The server may take less since a reconnect. */
  #refuseLarger(queue: ShardQueue): void {
    const most = this.#options.bus.maxPayloadBytes;
    if (!queue.waiting.some(({ bytes }) => this.#headBytes + bytes > most)) return;
    const larger = queue.waiting.filter(({ bytes }) => this.#headBytes + bytes > most);
    queue.waiting = queue.waiting.filter((held) => !larger.includes(held));
    for (const held of larger) this.#settle(held, tooLarge(held.bytes, most));
  }

  #send(lane: Lane, parts: readonly Part[]): void {
    const { bus, subjectOf, sender } = this.#options;
    const messages = parts.flatMap((part) => part.messages);
    const size = messages.reduce((sum, { bytes }) => sum + bytes, this.#headBytes);
    const batch = encodeBatch({ sender, messages }, size);
    lane.inFlight += 1;
    bus
      .request(subjectOf(lane.owner), batch, batchReplyMs)
      .then((reply) => this.#answered(parts, messages.length, reply))
      .catch((error: unknown) => this.#failed(parts, error))
      .finally(() => {
        lane.inFlight -= 1;
        this.#flush(lane);
      });
  }

  /** Throws when the reply can't be read. */
  #answered(parts: readonly Part[], count: number, reply: Uint8Array): void {
    const settlements = decodeReply(reply);
    if (settlements.length !== count)
      throw new Error(`a reply to ${settlements.length} messages instead of ${count}`);
    let at = 0;
    for (const { queue, messages } of parts) {
      this.#settlePart(queue, messages, settlements.slice(at, at + messages.length));
      at += messages.length;
    }
  }

  #settlePart(queue: ShardQueue, messages: readonly Held[], settlements: readonly Settlement[]): void {
    const again: Held[] = [];
    let staleEpoch: number | undefined;
    for (const [index, held] of messages.entries()) {
      const settlement = settlements[index];
      if (settlement?.type === 'settled') this.#settle(held, settlement.outcome);
      else if (settlement?.type === 'forgotten') this.#settle(held, outage('its outcome is no longer known'));
      else again.push(held);
      if (settlement?.type === 'notMine') staleEpoch = settlement.epoch;
    }
    queue.giveBack(again);
    if (staleEpoch === undefined) {
      queue.worked();
      return this.#offer(queue);
    }
    const before = this.#options.ownerOf(queue.shard);
    this.#options.lookUpAgain(queue.shard, staleEpoch);
    const after = this.#options.ownerOf(queue.shard);
    const isNews = after !== undefined && (before?.backend !== after.backend || before.epoch < after.epoch);
    if (isNews) this.#offer(queue);
    else this.#rest(queue);
  }

  #failed(parts: readonly Part[], error: unknown): void {
    const code = error instanceof BusError ? error.code : undefined;
    if (code === undefined) this.#complain(`a batch for another backend failed: ${(error as Error).message}`);
    for (const { queue, messages } of parts) {
      queue.giveBack(messages);
      if (this.#isClosed || code === 'closed') this.#abandon(queue);
      else if (code === 'timeout') {
        this.#lookUp(queue);
        this.#offer(queue);
      } else {
        if (code === 'nobodyListens') this.#lookUp(queue);
        this.#rest(queue);
      }
    }
  }

  #lookUp({ shard }: ShardQueue): void {
    this.#options.lookUpAgain(shard, this.#options.ownerOf(shard)?.epoch ?? 0);
  }

  #settle(held: Held, outcome: ForwardOutcome): void {
    this.#heldMessages -= 1;
    this.#heldBytes -= held.bytes;
    try {
      held.receipt(outcome);
    } catch (error) {
      this.#options.report(
        'warn',
        `the receipt of a message for ${held.to} failed: ${(error as Error).message}`,
      );
    }
  }

  /** Every batch to a backend of another version fails in the same way: one line in a while will do. */
  #complain(message: string): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + complaintIntervalMs;
    this.#options.report('warn', message);
  }
}

/** A message that was never sent had no effect; of one that was, nothing is known. */
const gaveUp = ({ wasSent }: Held, unsent: ForwardOutcome): ForwardOutcome =>
  wasSent && unsent.type === 'busy'
    ? outage(`${unsent.message}; whether the message took effect is unknown`)
    : unsent;

const tooLarge = (bytes: number, most: number): ForwardOutcome => ({
  type: 'invalid',
  detail: 'tooLarge',
  message: `a message of ${bytes} bytes is larger than the NATS server takes (max_payload ${most}): raise it there`,
});
