// Reads and writes Protocol Buffers primitives: varints, tags, lengths, doubles (Protocol Buffers encoding, version
// 3). The reader checks bounds, the writer grows.
import { maxVarintBytes } from './limits.ts';

/** The wire types. Groups (3 and 4) are deprecated and rejected. */
export const layouts = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Malformed input. The message contains the byte offset from the start of the payload. */
export class BrokenBytes extends Error {
  override name = 'BrokenBytes';
}

const two32 = 4_294_967_296;

/** The highest field number, with the highest wire type. */
const maxTag = 536_870_911 * 8 + 7;

/** The parts of a tag. */
export const numberOf = (tag: number): number => Math.floor(tag / 8);
export const layoutOf = (tag: number): number => tag % 8;

export class ByteReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
  }

  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** Where the next byte is read, from the start of the buffer. */
  get at(): number {
    return this.#at;
  }

  /** A signed 64-bit number; above 2^53 the nearest double, like JSON. */
  readInteger(): number {
    const from = this.#at;
    const first = from < this.#end ? (this.#bytes[from] ?? 0x80) : 0x80;
    if (first < 0x80) {
      // Fast path for one byte: nearly all tags, lengths and flags.
      this.#at += 1;
      return first;
    }
    let low = 0;
    let high = 0;
    for (let count = 0; count < maxVarintBytes; count += 1) {
      const byte = this.#nextByte(from);
      const bits = byte & 0x7f;
      if (count < 4) low |= bits << (7 * count);
      else if (count === 4) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else if (count < 9) high |= bits << (7 * count - 32);
      else high |= bits << 31;
      if (byte < 0x80) return (high | 0) * two32 + (low >>> 0);
    }
    return this.#broken('a varint is too long', from);
  }

  /** The same without rounding: a digit string if the number is not a safe integer. */
  readLong(): number | string {
    const from = this.#at;
    const nearest = this.readInteger();
    if (Number.isSafeInteger(nearest)) return nearest;
    let exact = 0n;
    for (let at = from; at < this.#at; at += 1)
      exact |= BigInt((this.#bytes[at] ?? 0) & 0x7f) << BigInt(7 * (at - from));
    return String(BigInt.asIntN(64, exact));
  }

  /** Number and wire type of the next field. */
  readTag(): { readonly number: number; readonly layout: number } {
    const tag = this.readPackedTag();
    return { number: numberOf(tag), layout: layoutOf(tag) };
  }

  /** The same as one number, for readers that make no object of each field. */
  readPackedTag(): number {
    const from = this.#at;
    const tag = this.readInteger();
    if (tag < 8 || tag > maxTag) return this.#broken('field number 0 is invalid', from);
    return tag;
  }

  readDouble(): number {
    const from = this.#take(8);
    return this.#bytes.readDoubleLE(from);
  }

  /** A string; invalid UTF-8 becomes replacement characters, since command output may contain any bytes. */
  readText(): string {
    const length = this.#readLength();
    const from = this.#take(length);
    return this.#bytes.toString('utf8', from, from + length);
  }

  /** A view, not a copy. */
  readBytes(): Buffer {
    const length = this.#readLength();
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** A reader for the nested message at this position; this reader continues after it. */
  readMessage(): ByteReader {
    const length = this.#readLength();
    const from = this.#take(length);
    return new ByteReader(this.#bytes, from, from + length);
  }

  /** Skips an unused value. */
  skip(layout: number): void {
    if (layout === layouts.varint) this.readInteger();
    else if (layout === layouts.fixed64) this.#take(8);
    else if (layout === layouts.fixed32) this.#take(4);
    else if (layout === layouts.bytes) this.#take(this.#readLength());
    else this.#broken(`unknown wire type ${layout}`, this.#at);
  }

  #readLength(): number {
    const from = this.#at;
    const length = this.readInteger();
    if (length < 0 || length > this.#end - this.#at) return this.#broken('a value is truncated', from);
    return length;
  }

  #take(count: number): number {
    const from = this.#at;
    if (count > this.#end - from) return this.#broken('a value is truncated', from);
    this.#at += count;
    return from;
  }

  #nextByte(from: number): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) return this.#broken('a number is truncated', from);
    this.#at += 1;
    return byte;
  }

  #broken(what: string, at: number): never {
    throw new BrokenBytes(`${what} (at byte ${at})`);
  }
}

/** Most nested messages are small. */
const firstSizeBytes = 128;

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(firstSizeBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A whole number; negative numbers take ten bytes. Fractions are truncated. */
  writeInteger(value: number | bigint): void {
    this.#reserve(maxVarintBytes);
    const whole = typeof value === 'bigint' ? value : Math.trunc(value);
    let rest =
      typeof whole === 'number' && whole >= 0 && whole < Number.MAX_SAFE_INTEGER
        ? whole
        : BigInt.asUintN(64, BigInt(whole));
    while (typeof rest === 'bigint' ? rest > 127n : rest > 127) {
      this.#push(Number(typeof rest === 'bigint' ? rest & 127n : rest % 128) | 0x80);
      rest = typeof rest === 'bigint' ? rest >> 7n : Math.floor(rest / 128);
    }
    this.#push(Number(rest));
  }

  writeTag(number: number, layout: number): void {
    this.writeInteger(number * 8 + layout);
  }

  writeDouble(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  writeText(text: string): void {
    const length = Buffer.byteLength(text);
    this.writeInteger(length);
    this.#reserve(length);
    this.#bytes.write(text, this.#length, 'utf8');
    this.#length += length;
  }

  writeBytes(bytes: Uint8Array): void {
    this.writeInteger(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** The bytes written so far; a view that the next write may overwrite. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #push(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
