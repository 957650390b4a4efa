// Locates the parts of a binary event without decoding it: reads only the values that differ between results of a check. The
// rest are byte ranges, which the edge compares with those of an earlier event.
import { BrokenBytes, ByteReader, layoutOf, layouts, numberOf } from './bytes.ts';
import { uuidText } from './decode.ts';
import { uuidBytes } from './limits.ts';
import { checkMessage, entityMessage, eventMessage, metadataMessage } from './messages.ts';
import type { Message } from './table.ts';

/** Offsets into the payload. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface EventLayout {
  readonly timestamp: number;
  readonly sequence: number;
  readonly id: string | null;
  readonly entity: Span;
  readonly check: CheckLayout;
  /** Alternating start and end offsets of everything else in the event. */
  readonly fixed: readonly number[];
}

export interface CheckLayout {
  readonly name: string;
  readonly duration: number | undefined;
  readonly executed: number;
  readonly issued: number;
  readonly output: string;
  readonly status: number;
  readonly processedBy: string | undefined;
  /** Alternating start and end offsets of everything else in the check: its definition. */
  readonly fixed: readonly number[];
}

const numbersIn = <Key extends string>(message: Message, ...keys: readonly Key[]): Record<Key, number> =>
  Object.fromEntries(
    keys.map((key) => {
      const field = message.fields.find((field) => field.key === key);
      if (field === undefined) throw new TypeError(`${message.name} has no field ${key}`);
      return [key, field.number];
    }),
  ) as Record<Key, number>;

const event = numbersIn(eventMessage, 'timestamp', 'entity', 'check', 'metrics', 'id', 'sequence');
const check = numbersIn(
  checkMessage,
  'duration',
  'executed',
  'issued',
  'output',
  'status',
  'metadata',
  'processed_by',
);
const { last_seen: entityLastSeen } = numbersIn(entityMessage, 'last_seen');
const { name: metadataName } = numbersIn(metadataMessage, 'name');

/** Thrown for a valid layout that only the full decoder supports. */
class Unusual extends Error {}
const unusual = (): never => {
  throw new Unusual('not laid out in the usual way');
};

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unusual || error instanceof BrokenBytes) return undefined;
    throw error;
  }
};

const readCount = (reader: ByteReader, layout: number): number => {
  if (layout !== layouts.varint) return unusual();
  const value = reader.readInteger();
  return Number.isSafeInteger(value) && value >= 0 ? value : unusual();
};

const readText = (reader: ByteReader, layout: number): string =>
  layout === layouts.bytes ? reader.readText() : unusual();

const readSpan = (reader: ByteReader, layout: number): Span => {
  if (layout !== layouts.bytes) return unusual();
  const length = reader.readBytes().length;
  return { start: reader.at - length, end: reader.at };
};

const isZero = (bytes: Buffer): boolean => {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== 0) return false;
  return true;
};

const readId = (reader: ByteReader, layout: number): string => {
  const bytes = layout === layouts.bytes ? reader.readBytes() : unusual();
  return bytes.length === uuidBytes && !isZero(bytes) ? uuidText(bytes) : unusual();
};

/** Appends a span; merges it with the previous one if they are adjacent. */
const addFixed = (fixed: number[], start: number, end: number): void => {
  if (fixed.at(-1) === start) fixed[fixed.length - 1] = end;
  else fixed.push(start, end);
};

const nameIn = (bytes: Buffer, { start, end }: Span): string => {
  const reader = new ByteReader(bytes, start, end);
  while (reader.hasMore) {
    const tag = reader.readPackedTag();
    const number = numberOf(tag);
    const layout = layoutOf(tag);
    if (number === metadataName) return readText(reader, layout);
    reader.skip(layout);
  }
  return unusual();
};

const checkLayout = (bytes: Buffer, { start, end }: Span): CheckLayout => {
  const reader = new ByteReader(bytes, start, end);
  const fixed: number[] = [];
  let name: string | undefined;
  let duration: number | undefined;
  let executed = 0;
  let issued = 0;
  let output = '';
  let status = 0;
  let processedBy: string | undefined;
  while (reader.hasMore) {
    const at = reader.at;
    const tag = reader.readPackedTag();
    const number = numberOf(tag);
    const layout = layoutOf(tag);
    switch (number) {
      case check.duration:
        duration = layout === layouts.fixed64 ? reader.readDouble() : unusual();
        if (!Number.isFinite(duration)) unusual();
        break;
      case check.executed:
        executed = readCount(reader, layout);
        break;
      case check.issued:
        issued = readCount(reader, layout);
        break;
      case check.output:
        output = readText(reader, layout);
        break;
      case check.status:
        status = readCount(reader, layout);
        break;
      case check.processed_by:
        processedBy = readText(reader, layout);
        break;
      case check.metadata:
        // A message may be split into two fields; only the full decoder merges them.
        if (name !== undefined) unusual();
        name = nameIn(bytes, readSpan(reader, layout));
        addFixed(fixed, at, reader.at);
        break;
      default:
        reader.skip(layout);
        addFixed(fixed, at, reader.at);
    }
  }
  if (name === undefined) return unusual();
  return { name, duration, executed, issued, output, status, processedBy, fixed };
};

/** The layout of an event with a check and without metrics; undefined if it must be decoded. Never throws. */
export const eventLayout = (bytes: Buffer): EventLayout | undefined =>
  attempt(() => {
    const reader = new ByteReader(bytes);
    const fixed: number[] = [];
    let timestamp = 0;
    let sequence = 0;
    let id: string | null = null;
    let entityAt: Span | undefined;
    let checkAt: Span | undefined;
    while (reader.hasMore) {
      const at = reader.at;
      const tag = reader.readPackedTag();
      const number = numberOf(tag);
      const layout = layoutOf(tag);
      switch (number) {
        case event.timestamp:
          timestamp = readCount(reader, layout);
          break;
        case event.sequence:
          sequence = readCount(reader, layout);
          break;
        case event.id:
          id = readId(reader, layout);
          break;
        case event.entity:
          if (entityAt !== undefined) unusual();
          entityAt = readSpan(reader, layout);
          break;
        case event.check:
          if (checkAt !== undefined) unusual();
          checkAt = readSpan(reader, layout);
          break;
        case event.metrics:
          return unusual();
        default:
          reader.skip(layout);
          addFixed(fixed, at, reader.at);
      }
    }
    if (entityAt === undefined || checkAt === undefined) return unusual();
    return { timestamp, sequence, id, entity: entityAt, check: checkLayout(bytes, checkAt), fixed };
  });

/** The location of the value of `last_seen` in an entity; undefined if absent, repeated or negative. */
export const lastSeenSpan = (bytes: Buffer, { start, end }: Span): Span | undefined =>
  attempt(() => {
    const reader = new ByteReader(bytes, start, end);
    let found: Span | undefined;
    while (reader.hasMore) {
      const tag = reader.readPackedTag();
      const number = numberOf(tag);
      const layout = layoutOf(tag);
      const from = reader.at;
      if (number !== entityLastSeen) {
        reader.skip(layout);
        continue;
      }
      if (found !== undefined) unusual();
      readCount(reader, layout);
      found = { start: from, end: reader.at };
    }
    return found;
  });

/** The non-negative integer encoded at `start`, and where it ends; undefined if there is none before `end`. */
export const countAt = (
  bytes: Buffer,
  start: number,
  end: number,
): { value: number; end: number } | undefined =>
  attempt(() => {
    const reader = new ByteReader(bytes, start, end);
    return { value: readCount(reader, layouts.varint), end: reader.at };
  });
