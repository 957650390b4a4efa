// What the edge remembers of the events agents send. From one result of a check to the next a handful of values change (its
// id, its times, its status, its output); all else is the definition, sent again with every result, and the same from all
// agents that run the check. While those bytes are the ones seen before, what was read and judged then is used again, and
// only the values are read. Bytes are compared whole: no hash, no guess. On the road of an event this stands after
// known-entity, which finds the agent's entity in the frame, and before the guarded parse, which reads what is not known.
//
// Why it is worth its place: to read a 1.3 kB frame whose entity is known took 6.4 us and takes 2.9 (side by side on one busy
// core), with less garbage; and all results of a check share one definition in memory.
import { type CheckEvent, type Event, hasCheck } from '../../model/event.ts';
import { rememberJson } from '../../model/known-json.ts';
import { maxPayloadBytes } from '../../wire/limits.ts';
import { type Member, membersOf, standsAt } from './json-span.ts';
import type { EntitySpan } from './known-entity.ts';
import { maxKnownFrameBytes, maxKnownFrames, missesBetweenLessons } from './limits.ts';
import { type Reader, readInteger, readNumber, readStatus, readText, readUuid } from './plain-values.ts';

/** The event in the making: a copy of the known one. */
type Draft = { -readonly [Field in keyof CheckEvent]: CheckEvent[Field] };

/** Reads the value at `start` into the draft and returns where it ends; -1 when it is not written plainly. */
type Take = (bytes: Buffer, start: number, draft: Draft) => number;

/** A value that may change, and the bytes between it and the one before, which may not. */
interface Slot {
  readonly before: Buffer;
  /** Null where the entity stands. */
  readonly take: Take | null;
}

interface KnownFrame {
  readonly slots: readonly Slot[];
  readonly tail: Buffer;
  /** Its definition is shared by all events made from it: never to be changed. */
  readonly event: CheckEvent;
}

function taker<T>(
  key: string,
  read: Reader<T>,
  put: (draft: Draft, value: T) => void,
): readonly [key: string, take: Take] {
  const take: Take = (bytes, start, draft) => {
    const found = read(bytes, start);
    if (found === undefined) return -1;
    put(draft, found.value);
    return found.end;
  };
  return [key, take];
}

/** What changes from result to result. Everything else is compared. */
const takers: Readonly<Record<'event' | 'check', ReadonlyMap<string, Take>>> = {
  event: new Map([
    taker('timestamp', readInteger, (draft, value) => {
      draft.timestamp = value;
    }),
    taker('sequence', readInteger, (draft, value) => {
      draft.sequence = value;
    }),
    taker('id', readUuid, (draft, value) => {
      draft.id = value;
    }),
  ]),
  check: new Map([
    taker('duration', readNumber, ({ check }, value) => {
      check.duration = value;
    }),
    taker('executed', readInteger, ({ check }, value) => {
      check.executed = value;
    }),
    taker('issued', readInteger, ({ check }, value) => {
      check.issued = value;
    }),
    taker('output', readText, ({ check }, value) => {
      check.output = value;
    }),
    taker('processed_by', readText, ({ check }, value) => {
      check.processed_by = value;
    }),
    taker('status', readStatus, ({ check }, value) => {
      check.status = value;
    }),
  ]),
};

const quote = 0x22;
/** Behind the entity, the last name is mostly the check's own. */
const nameKey = Buffer.from('"name":"');

/**
 * What a frame is looked up by. A frame may leave its namespace to the session, so the same bytes mean another event in
 * another namespace. Undefined when no name stands where it is looked for.
 */
const keyOf = (bytes: Buffer, from: number, namespace: string): string | undefined => {
  const at = bytes.lastIndexOf(nameKey);
  if (at < from) return undefined;
  const start = at + nameKey.length;
  return `${namespace}/${bytes.toString('latin1', start, bytes.indexOf(quote, start))}`;
};

const isPlainlyKeyed = (members: readonly Member[]): boolean =>
  new Set(members.map(({ key }) => key)).size === members.length &&
  members.every(({ key }) => !key.includes('\\'));

interface Place {
  readonly take: Take | null;
  readonly start: number;
  readonly end: number;
}

/** The values that may change, in the order of the bytes; undefined when a key is written twice or in disguise. */
const placesIn = (
  bytes: Buffer,
  { start, end }: EntitySpan,
  event: CheckEvent,
): readonly Place[] | undefined => {
  const outer = membersOf(bytes, 0);
  const checkAt = outer.find(({ key }) => key === 'check')?.start;
  if (checkAt === undefined) return undefined;
  const inner = membersOf(bytes, checkAt);
  if (!isPlainlyKeyed(outer) || !isPlainlyKeyed(inner)) return undefined;
  const draft = draftOf(event);
  const places = (takers: ReadonlyMap<string, Take>, members: readonly Member[]): Place[] =>
    members.flatMap(({ key, start, end }) => {
      const take = takers.get(key);
      // One that is not written plainly (`null`, say) is compared like all else.
      return take === undefined || take(bytes, start, draft) !== end ? [] : [{ take, start, end }];
    });
  const all = [{ take: null, start, end }, ...places(takers.event, outer), ...places(takers.check, inner)];
  return all.sort((a, b) => a.start - b.start);
};

const draftOf = (event: CheckEvent): Draft => ({ ...event, check: { ...event.check } });

const frameOf = (bytes: Buffer, places: readonly Place[], event: CheckEvent): KnownFrame => {
  // A copy: the socket's buffer is shared with what came before and after.
  const own = Buffer.from(bytes);
  let at = 0;
  const slots = places.map(({ take, start, end }) => {
    const before = own.subarray(at, start);
    at = end;
    return { before, take };
  });
  return { slots, tail: own.subarray(at), event };
};

interface Entry {
  frame: KnownFrame | undefined;
  misses: number;
}

export class KnownFrames {
  readonly #entries = new Map<string, Entry>();

  /** The event in a frame whose entity stands at `span`; undefined when the frame has to be parsed. */
  recognise(bytes: Buffer, span: EntitySpan, namespace: string): CheckEvent | undefined {
    if (bytes.length > maxPayloadBytes) return undefined;
    const key = keyOf(bytes, span.end, namespace);
    const frame = key === undefined ? undefined : this.#entries.get(key)?.frame;
    return frame && readBy(frame, bytes, span);
  }

  /** The event that was read from this frame, complete and judged. */
  learn(bytes: Buffer, span: EntitySpan, namespace: string, event: Event): void {
    if (bytes.length > maxKnownFrameBytes || !hasCheck(event) || event.metrics !== undefined) return;
    const key = keyOf(bytes, span.end, namespace);
    if (key === undefined) return;
    const entry = this.#entry(key);
    entry.misses += 1;
    if (entry.misses % missesBetweenLessons !== 1) return;
    const places = placesIn(bytes, span, event);
    if (places === undefined) return;
    // A copy: whoever reads on may complete the event in place.
    entry.frame = frameOf(bytes, places, draftOf(event));
    rememberJson(event.check.metadata, JSON.stringify(event.check.metadata));
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < maxKnownFrames) break;
      this.#entries.delete(oldest);
    }
    const entry: Entry = { frame: undefined, misses: 0 };
    this.#entries.set(key, entry);
    return entry;
  }
}

const readBy = (
  { slots, tail, event }: KnownFrame,
  bytes: Buffer,
  span: EntitySpan,
): CheckEvent | undefined => {
  const draft = draftOf(event);
  draft.entity = span.entity;
  let at = 0;
  for (const { before, take } of slots) {
    if (!standsAt(before, bytes, at)) return undefined;
    const start = at + before.length;
    if (take !== null) at = take(bytes, start, draft);
    else at = start === span.start ? span.end : -1;
    if (at < 0) return undefined;
  }
  return at + tail.length === bytes.length && standsAt(tail, bytes, at) ? draft : undefined;
};
