// Writes JSON as bytes into a buffer that is used again and again. For small objects of numbers and short strings, of which the
// record of a check has three, this leaves nothing behind, where `JSON.stringify` leaves several times the text.
import { knownJson } from '../model/schema/known-json.ts';
import { maxHistoryBytes, type PlainHistory, writeHistory, writeInteger } from './history-text.ts';

/** Longer strings are written by the engine, shorter ones character by character: that is cheaper than the call. */
const shortCharacters = 32;
/** A digit string of a safe integer with its sign. */
const maxIntegerBytes = 17;
const maxBytesPerCharacter = 3;

const [space, quote, comma, colon, backslash, brace, lastAscii] = [0x20, 0x22, 0x2c, 0x3a, 0x5c, 0x7b, 0x7e];

/** Characters that JSON escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON escapes
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/;

export class JsonWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(initialBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  /** What was written since `begin`, valid until the next `begin`. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  begin(): void {
    this.#at = 0;
  }

  /** JSON text as it is. */
  text(text: string): void {
    const { length } = text;
    this.#reserve(length * maxBytesPerCharacter);
    if (length > shortCharacters || !this.#writeShort(text))
      this.#at += this.#bytes.write(text, this.#at, 'utf8');
  }

  history(history: PlainHistory): void {
    this.#reserve(maxHistoryBytes(history));
    this.#at = writeHistory(this.#bytes, this.#at, history);
  }

  /**
   * `"key":value` for each field that has one, with commas between them and after what is there already; no braces. As
   * `JSON.stringify`, whose errors it throws.
   */
  fields(object: object): void {
    for (const key in object) this.field(key, (object as Readonly<Record<string, unknown>>)[key]);
  }

  field(key: string, value: unknown): void {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return;
    this.key(key);
    this.#value(value);
  }

  /** The start of a field, whose value comes next. */
  key(key: string): void {
    if (this.#at > 0 && this.#bytes[this.#at - 1] !== brace) this.#put(comma);
    this.#string(key);
    this.#put(colon);
  }

  #value(value: unknown): void {
    if (typeof value === 'string') this.#string(value);
    else if (Number.isSafeInteger(value)) {
      this.#reserve(maxIntegerBytes);
      this.#at = writeInteger(this.#bytes, this.#at, value as number);
    } else if (Array.isArray(value) && value.length === 0) this.text('[]');
    else if (typeof value === 'object' && value !== null) this.text(knownJson(value) ?? jsonOf(value));
    else this.text(jsonOf(value));
  }

  #string(text: string): void {
    const { length } = text;
    this.#reserve(length * maxBytesPerCharacter + 2);
    if (length <= shortCharacters) {
      const from = this.#at;
      this.#put(quote);
      if (this.#writeShort(text, true)) return this.#put(quote);
      this.#at = from;
    } else if (!escaped.test(text)) {
      this.#put(quote);
      this.#at += this.#bytes.write(text, this.#at, 'utf8');
      return this.#put(quote);
    }
    const json = JSON.stringify(text);
    this.#reserve(json.length * maxBytesPerCharacter);
    this.#at += this.#bytes.write(json, this.#at, 'utf8');
  }

  /** False, with nothing written, if a character is not ASCII, or would be escaped in a string. */
  #writeShort(text: string, isString = false): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < space || code > lastAscii || (isString && (code === quote || code === backslash)))
        return false;
      bytes[at + index] = code;
    }
    this.#at = at + text.length;
    return true;
  }

  #put(byte: number): void {
    if (this.#at === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** `JSON.stringify` types its result wrongly for values it leaves out; those are left out before. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';
