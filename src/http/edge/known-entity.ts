// What a session remembers of its agent's entity. An agent sends its whole entity with every event, and only `last_seen`
// in it changes: while the bytes are the ones seen last, the entity read and judged then is used again, and the rest of the
// frame is parsed without it. On the road of an event this stands before the guarded parse.
//
// Why it is worth its place: with a 0.6 kB entity in a 1.3 kB event it takes the main thread from 45 to
// 35 us an event (together with store/record-text), and all checks of an agent share one entity in memory. Bytes are compared whole: no hash, no guess.
import type { Entity } from '../../model/entity.ts';
import { rememberJson } from '../../model/known-json.ts';
import { endOfValue, standsAt } from './json-span.ts';
import { missesBetweenLessons } from './limits.ts';

/** Where in a frame its entity stands, and what it says. */
export interface EntitySpan {
  readonly start: number;
  readonly end: number;
  /** Shared by all events that carry it: never to be changed. */
  readonly entity: Entity;
}

/** The JSON text of the frame with `null` where the entity stands. */
export const textAround = (payload: Buffer, { start, end }: EntitySpan): string =>
  `${payload.toString('utf8', 0, start)}null${payload.toString('utf8', end)}`;

/** An entity and its JSON, of which only `last_seen` changes. */
export class SeenEntity {
  entity: Entity;
  /** Its JSON as we write it, before and after the digits of `last_seen`. */
  readonly #json: Around | null;

  /** `entity` must not change afterwards. */
  constructor(entity: Entity) {
    const json = JSON.stringify(entity);
    this.entity = entity;
    this.#json = aroundLastSeen(json, entity.last_seen);
    rememberJson(entity, json);
  }

  /** Whether another `last_seen` can be put in its place. */
  get canMove(): boolean {
    return this.#json !== null;
  }

  see(lastSeen: number): void {
    if (lastSeen === this.entity.last_seen || this.#json === null) return;
    this.entity = { ...this.entity, last_seen: lastSeen };
    rememberJson(this.entity, `${this.#json[0]}${lastSeen}${this.#json[1]}`);
  }
}

interface Known {
  /** The bytes of the entity before and after the digits of `last_seen`; `tail` is empty when it has none. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly seen: SeenEntity;
}

/** Digits of a `last_seen` this takes part in: all of them are safe integers. */
const maxDigits = 15;

const brace = 0x7b;
const comma = 0x2c;
const zero = 0x30;
const entityKey = Buffer.from('"entity":');
const lastSeenKey = '"last_seen":';

/** Where the entity begins, when it is the first object inside the document; -1 otherwise. */
const startOfEntity = (payload: Buffer): number => {
  if (payload[0] !== brace) return -1;
  const start = payload.indexOf(brace, 1);
  const keyAt = start - entityKey.length;
  // Nothing was opened before it, so it belongs to the document itself; a key follows a brace or a comma.
  if (keyAt < 1 || entityKey.compare(payload, keyAt, start) !== 0) return -1;
  return payload[keyAt - 1] === brace || payload[keyAt - 1] === comma ? start : -1;
};

type Around = readonly [before: string, after: string];

/**
 * `text` around the digits of its `last_seen`; null when it does not stand there exactly once, as just these digits.
 * Inside a string its quotes would be escaped, so what is found is a key.
 */
const aroundLastSeen = (text: string, value: number): Around | null => {
  const parts = text.split(lastSeenKey);
  const [before = '', rest = ''] = parts;
  const digits = String(value);
  if (parts.length !== 2 || value <= 0 || !rest.startsWith(digits)) return null;
  const after = rest.slice(digits.length);
  return after.startsWith(',') || after.startsWith('}') ? [before + lastSeenKey, after] : null;
};

export class KnownEntity {
  #known: Known | undefined;
  #misses = 0;

  /** The entity, when it is the known one. What is no JSON stays none. */
  recognise(payload: Buffer): EntitySpan | undefined {
    const known = this.#known;
    if (known === undefined) return undefined;
    const start = startOfEntity(payload);
    if (start < 0 || !standsAt(known.head, payload, start)) return undefined;
    const end =
      known.tail.length === 0
        ? start + known.head.length
        : this.#endAfterLastSeen(known, payload, start + known.head.length);
    if (end < 0) return undefined;
    this.#misses = 0;
    return { start, end, entity: known.seen.entity };
  }

  /** The entity that was read from this frame, complete and judged. It must not change afterwards. */
  learn(payload: Buffer, entity: Entity): void {
    this.#misses += 1;
    if (this.#misses % missesBetweenLessons !== 1) return;
    const start = startOfEntity(payload);
    if (start < 0) return;
    const text = payload.toString('utf8', start, endOfValue(payload, start));
    const seen = new SeenEntity(entity);
    const bytes = aroundLastSeen(text, entity.last_seen);
    const [head, tail] = bytes !== null && seen.canMove ? bytes : [text, ''];
    this.#known = { head: Buffer.from(head), tail: Buffer.from(tail), seen };
  }

  /** Reads the digits at `at` and takes them over when the known rest follows; -1 when it does not. */
  #endAfterLastSeen(known: Known, payload: Buffer, at: number): number {
    let end = at;
    let seen = 0;
    for (let digit = digitAt(payload, end); digit >= 0; digit = digitAt(payload, end)) {
      seen = seen * 10 + digit;
      end += 1;
    }
    const isNumber = end > at && end - at <= maxDigits && payload[at] !== zero;
    if (!isNumber || !standsAt(known.tail, payload, end)) return -1;
    known.seen.see(seen);
    return end + known.tail.length;
  }
}

const digitAt = (bytes: Buffer, at: number): number => {
  const digit = (bytes[at] ?? 0) - zero;
  return digit >= 0 && digit <= 9 ? digit : -1;
};
