// Event cache of a session that uses the binary encoding: the agent's entity, and the check definitions shared by all sessions.
// The counterpart of known-entity and known-frame for JSON. All bytes are compared; no hashes are used.
import { LRUCache } from 'lru-cache';
import { type CheckEvent, type Event, hasCheck } from '../../model/event/event.ts';
import { maxUnsigned32 } from '../../model/limits.ts';
import { rememberJson } from '../../model/schema/known-json.ts';
import {
  type CheckLayout,
  countAt,
  type EventLayout,
  eventLayout,
  lastSeenSpan,
  type Span,
} from '../../wire/protobuf/event-layout.ts';
import type { EventMemory } from './event-memory.ts';
import { standsAt } from './json-span.ts';
import { SeenEntity } from './known-entity.ts';
import { maxKnownFrameBytes, maxKnownFrames, missesBetweenLessons } from './limits.ts';

interface KnownBytes {
  /** The bytes before and after the value of `last_seen`; `tail` is empty if it is absent. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly seen: SeenEntity;
}

/** The entity of one session. */
class KnownBinaryEntity {
  #known: KnownBytes | undefined;
  #misses = 0;

  recognise(payload: Buffer, { start, end }: Span): Event['entity'] | undefined {
    const known = this.#known;
    if (known === undefined || !standsAt(known.head, payload, start)) return undefined;
    const afterHead = start + known.head.length;
    if (known.tail.length > 0) {
      const count = countAt(payload, afterHead, end);
      if (count === undefined || count.end + known.tail.length !== end) return undefined;
      if (!standsAt(known.tail, payload, count.end)) return undefined;
      known.seen.see(count.value);
    } else if (afterHead !== end) return undefined;
    this.#misses = 0;
    return known.seen.entity;
  }

  learn(payload: Buffer, { start, end }: Span, entity: Event['entity']): void {
    this.#misses += 1;
    if (this.#misses % missesBetweenLessons !== 1) return;
    const seen = new SeenEntity(entity);
    const value = seen.canMove ? lastSeenSpan(payload, { start, end }) : undefined;
    const isSplit = value !== undefined && value.end < end;
    // Copy: the socket's buffer is shared with other messages.
    const head = Buffer.from(payload.subarray(start, isSplit ? value.start : end));
    const tail = Buffer.from(isSplit ? payload.subarray(value.end, end) : []);
    this.#known = { head, tail, seen };
  }
}

interface KnownDefinition {
  /** The bytes that do not change from result to result. */
  readonly ofEvent: Buffer;
  readonly ofCheck: Buffer;
  /** Without the values of a result. Events made from it share its definition, which must not change. */
  readonly event: CheckEvent;
}

interface Entry {
  known: KnownDefinition | undefined;
  misses: number;
}

/** Whether the concatenated spans of `bytes` equal `known`. */
const areKnown = (known: Buffer, bytes: Buffer, spans: readonly number[]): boolean => {
  let at = 0;
  for (let index = 0; index < spans.length; index += 2) {
    const start = spans[index] ?? 0;
    const length = (spans[index + 1] ?? 0) - start;
    if (at + length > known.length || bytes.compare(known, at, at + length, start, start + length) !== 0)
      return false;
    at += length;
  }
  return at === known.length;
};

const joined = (bytes: Buffer, spans: readonly number[]): Buffer => {
  const parts: Buffer[] = [];
  for (let index = 0; index < spans.length; index += 2)
    parts.push(bytes.subarray(spans[index], spans[index + 1]));
  return Buffer.concat(parts);
};

/** The definitions shared by all sessions of a listener: an LRU cache with a maximum number of entries. */
export class KnownDefinitions {
  readonly #entries = new LRUCache<string, Entry>({ max: maxKnownFrames });

  recognise(payload: Buffer, layout: EventLayout, namespace: string): CheckEvent | undefined {
    const known = this.#entries.get(`${namespace}/${layout.check.name}`)?.known;
    if (known === undefined || !areKnown(known.ofCheck, payload, layout.check.fixed)) return undefined;
    return areKnown(known.ofEvent, payload, layout.fixed) ? known.event : undefined;
  }

  learn(payload: Buffer, layout: EventLayout, namespace: string, event: CheckEvent): void {
    if (payload.length > maxKnownFrameBytes) return;
    const key = `${namespace}/${layout.check.name}`;
    const entry = this.#entries.get(key) ?? { known: undefined, misses: 0 };
    this.#entries.set(key, entry);
    entry.misses += 1;
    if (entry.misses % missesBetweenLessons !== 1) return;
    entry.known = {
      ofEvent: joined(payload, layout.fixed),
      ofCheck: joined(payload, layout.check.fixed),
      event: { ...event, check: { ...event.check } },
    };
    rememberJson(event.check.metadata, JSON.stringify(event.check.metadata));
  }
}

const put = (check: CheckEvent['check'], layout: CheckLayout): void => {
  check.duration = layout.duration;
  check.executed = layout.executed;
  check.issued = layout.issued;
  check.output = layout.output;
  check.status = layout.status;
  check.processed_by = layout.processedBy;
};

const eventFrom = (known: CheckEvent, entity: Event['entity'], layout: EventLayout): CheckEvent => {
  const event = { ...known, entity, check: { ...known.check } };
  event.timestamp = layout.timestamp;
  event.sequence = layout.sequence;
  event.id = layout.id;
  put(event.check, layout.check);
  return event;
};

export const createBinaryMemory = (definitions: KnownDefinitions): EventMemory => {
  const entity = new KnownBinaryEntity();
  return {
    recognise(payload, { namespace }) {
      const layout = eventLayout(payload);
      if (layout === undefined || layout.check.status > maxUnsigned32) return undefined;
      const knownEntity = entity.recognise(payload, layout.entity);
      if (knownEntity === undefined) return undefined;
      const known = definitions.recognise(payload, layout, namespace);
      return known && eventFrom(known, knownEntity, layout);
    },
    learn(payload, { namespace }, event) {
      const layout = eventLayout(payload);
      if (layout === undefined) return;
      entity.learn(payload, layout.entity, event.entity);
      if (hasCheck(event)) definitions.learn(payload, layout, namespace, event);
    },
  };
};
