// Batches and replies as bytes, little-endian, with lengths in front of texts:
//
//   batch     version, sender, count, and for each message: shard, seq, address, payload
//   reply     version, count, and for each message of the batch, in its order: tag, and what the tag needs
//
// The payload is not looked at, so an event costs the same whatever it holds.
import { maxAddressBytes, maxBatchMessages, maxOutcomeCharacters, shardCount } from './limits.ts';
import { type ForwardOutcome, outcomeTypes } from './outcome.ts';

/** Of this format. A backend that reads another one answers with its own version alone. */
const version = 1;

export interface BatchMessage {
  readonly shard: number;
  /** Grows with every message of a sender for this shard. */
  readonly seq: number;
  readonly to: string;
  readonly payload: Uint8Array;
}

export interface Batch {
  /** A backend and its incarnation. */
  readonly sender: string;
  readonly messages: readonly BatchMessage[];
}

export type Settlement =
  | { readonly type: 'settled'; readonly outcome: ForwardOutcome }
  /** The shard lives elsewhere; the epoch is the latest that this backend knows of. */
  | { readonly type: 'notMine'; readonly epoch: number }
  /** Taken, and not committed yet. */
  | { readonly type: 'pending' }
  /** Settled in an earlier batch, and forgotten. */
  | { readonly type: 'forgotten' };

/** Bytes that can't be read: broken, or written by another version. */
export class UnreadableBatch extends Error {
  override readonly name = 'UnreadableBatch';
}

const headBytes = 1 + 2 + 2;
const messageHeadBytes = 2 + 6 + 2 + 4;

/** Of a batch without messages. */
export const batchHeadBytes = (sender: string): number => headBytes + Buffer.byteLength(sender);
/** What one message adds to a batch. */
export const messageBytes = (to: string, payload: Uint8Array): number =>
  messageHeadBytes + Buffer.byteLength(to) + payload.length;

/** `bytes`: its size, as the functions above count it. */
export const encodeBatch = ({ sender, messages }: Batch, bytes: number): Buffer => {
  const into = Buffer.allocUnsafe(bytes);
  let at = into.writeUInt8(version, 0);
  at = writeText(into, sender, at);
  at = into.writeUInt16LE(messages.length, at);
  for (const { shard, seq, to, payload } of messages) {
    at = into.writeUInt16LE(shard, at);
    at = into.writeUIntLE(seq, at, 6);
    at = writeText(into, to, at);
    at = into.writeUInt32LE(payload.length, at);
    into.set(payload, at);
    at += payload.length;
  }
  return into;
};

/** Payloads are views of the given bytes. Throws UnreadableBatch. */
export const decodeBatch = (data: Uint8Array): Batch => {
  const reader = new Reader(data);
  const sender = reader.text(maxAddressBytes);
  const count = reader.count();
  const messages: BatchMessage[] = [];
  for (let index = 0; index < count; index += 1) messages.push(reader.message());
  reader.end();
  return { sender, messages };
};

/** Texts of outcomes are cut so that the reply has at most `maxBytes`. */
export const encodeReply = (settlements: readonly Settlement[], maxBytes: number): Buffer => {
  const room = Math.floor((maxBytes - headBytes) / Math.max(1, settlements.length)) - 64;
  const maxCharacters = Math.max(0, Math.min(maxOutcomeCharacters, Math.floor(room / 4)));
  const parts = settlements.map((settlement) => encodeSettlement(settlement, maxCharacters));
  const head = Buffer.allocUnsafe(3);
  head.writeUInt8(version, 0);
  head.writeUInt16LE(settlements.length, 1);
  return Buffer.concat([head, ...parts]);
};

/** What a backend answers that can't read a batch. */
export const unreadableReply = Buffer.from([version]);

/** Throws UnreadableBatch. */
export const decodeReply = (data: Uint8Array): readonly Settlement[] => {
  if (data.length === 1) throw new UnreadableBatch(`the other backend reads version ${data[0]} of batches`);
  const reader = new Reader(data);
  const count = reader.count();
  const settlements: Settlement[] = [];
  for (let index = 0; index < count; index += 1) settlements.push(reader.settlement());
  reader.end();
  return settlements;
};

const doneBytes = Buffer.from([0]);
const pendingBytes = Buffer.from([1]);
const forgottenBytes = Buffer.from([2]);
const done: Settlement = { type: 'settled', outcome: { type: 'done', detail: '', message: '' } };

const encodeSettlement = (settlement: Settlement, maxCharacters: number): Buffer => {
  if (settlement.type === 'pending') return pendingBytes;
  if (settlement.type === 'forgotten') return forgottenBytes;
  if (settlement.type === 'notMine') {
    const bytes = Buffer.allocUnsafe(7);
    bytes.writeUInt8(3, 0);
    bytes.writeUIntLE(settlement.epoch, 1, 6);
    return bytes;
  }
  const { type, detail, message } = settlement.outcome;
  return type === 'done' ? doneBytes : encodeOutcome(type, detail, message.slice(0, maxCharacters));
};

const encodeOutcome = (type: ForwardOutcome['type'], detail: string, message: string): Buffer => {
  const bytes = Buffer.allocUnsafe(2 + 2 + 2 + Buffer.byteLength(detail) + Buffer.byteLength(message));
  let at = bytes.writeUInt8(4, 0);
  at = bytes.writeUInt8(outcomeTypes.indexOf(type), at);
  at = writeText(bytes, detail, at);
  writeText(bytes, message, at);
  return bytes;
};

const writeText = (into: Buffer, text: string, at: number): number => {
  const length = into.write(text, at + 2);
  into.writeUInt16LE(length, at);
  return at + 2 + length;
};

class Reader {
  readonly #bytes: Buffer;
  #at = 1;

  constructor(data: Uint8Array) {
    this.#bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
    if (this.#bytes[0] !== version)
      throw new UnreadableBatch(`version ${this.#bytes[0]} of batches is not known here`);
  }

  count(): number {
    const count = this.#number(2);
    if (count > maxBatchMessages) throw new UnreadableBatch(`${count} messages are too many`);
    return count;
  }

  text(maxBytes: number): string {
    const length = this.#number(2);
    if (length > maxBytes) throw new UnreadableBatch(`a text of ${length} bytes is too long`);
    return this.#bytes.toString('utf8', this.#take(length), this.#at);
  }

  message(): BatchMessage {
    const shard = this.#number(2);
    if (shard >= shardCount) throw new UnreadableBatch(`there is no shard ${shard}`);
    const seq = this.#number(6);
    const to = this.text(maxAddressBytes);
    const length = this.#number(4);
    return { shard, seq, to, payload: this.#bytes.subarray(this.#take(length), this.#at) };
  }

  settlement(): Settlement {
    const tag = this.#number(1);
    if (tag === 0) return done;
    if (tag === 1) return { type: 'pending' };
    if (tag === 2) return { type: 'forgotten' };
    if (tag === 3) return { type: 'notMine', epoch: this.#number(6) };
    const type = tag === 4 ? outcomeTypes[this.#number(1)] : undefined;
    if (type === undefined) throw new UnreadableBatch(`an outcome of unknown kind ${tag}`);
    return {
      type: 'settled',
      outcome: { type, detail: this.text(maxAddressBytes), message: this.text(65_535) },
    };
  }

  end(): void {
    if (this.#at !== this.#bytes.length)
      throw new UnreadableBatch(`${this.#bytes.length - this.#at} bytes are left over`);
  }

  #number(bytes: number): number {
    return this.#bytes.readUIntLE(this.#take(bytes), bytes);
  }

  /** Where the next bytes begin; it moves past them. */
  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length)
      throw new UnreadableBatch(`cut off at byte ${this.#bytes.length}`);
    this.#at = from + length;
    return from;
  }
}
