// Codecs: how payloads lie in frames, chosen once a session by the Accept header of its upgrade. The backend speaks
// JSON inside; for an agent that wants the binary encoding, the edge translates both ways here.
import { parseGuarded } from '../../model/guarded-json.ts';
import { decodeFrame, encodeFrame } from '../../wire/frames.ts';
import { type ContentType, jsonType, protobufType } from '../../wire/headers.ts';
import { maxPayloadBytes } from '../../wire/limits.ts';
import { decodePayload, encodePayload, hasBinaryForm } from '../../wire/protobuf/payloads.ts';
import { createBinaryMemory, type KnownDefinitions } from './binary-memory.ts';
import type { EventMemory } from './event-memory.ts';
import { createJsonMemory } from './json-memory.ts';
import type { KnownFrames } from './known-frame.ts';

export type Decoded =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

export interface AgentCodec {
  readonly contentType: ContentType;
  /** Plain data, not yet validated, or a sentence that says where the payload is broken. Never throws. */
  decodeEvent(payload: Buffer): Decoded;
  /** A frame of the backend's, whose payload is JSON, as agents of this codec read it. */
  outgoing(frame: Buffer | string): Buffer | string;
  /** What one session remembers of the events it sent; `shared` is that of all sessions of a listener. */
  openMemory(shared: SharedMemory): EventMemory;
}

export interface SharedMemory {
  readonly json: KnownFrames;
  readonly binary: KnownDefinitions;
}

export const jsonCodec: AgentCodec = {
  contentType: jsonType,
  decodeEvent: (payload) => parseGuarded(payload, { maxBytes: maxPayloadBytes }),
  outgoing: (frame) => frame,
  openMemory: ({ json }) => createJsonMemory(json),
};

const toBinary = (frame: Buffer): Buffer => {
  const read = decodeFrame(frame);
  if (read === null || !hasBinaryForm(read.type)) return frame;
  const { type, payload } = read;
  return encodeFrame(type, encodePayload(type, JSON.parse(payload.toString('utf8')) as object));
};

/** One request goes to many sessions as one and the same buffer: it is translated once. */
const translated = new WeakMap<Buffer, Buffer>();

export const protobufCodec: AgentCodec = {
  contentType: protobufType,
  openMemory: ({ binary }) => createBinaryMemory(binary),
  decodeEvent: (payload) => decodePayload('event', payload),
  outgoing: (frame) => {
    if (typeof frame === 'string') return toBinary(Buffer.from(frame));
    const known = translated.get(frame) ?? toBinary(frame);
    translated.set(frame, known);
    return known;
  },
};

/** Every codec this backend speaks, in the order in which the answer to an upgrade names them. */
export const codecs: readonly AgentCodec[] = [protobufCodec, jsonCodec];

/** The codec an agent asked for, or JSON, which every agent reads. */
export const chooseCodec = (accept: ContentType): AgentCodec =>
  codecs.find(({ contentType }) => contentType === accept) ?? jsonCodec;
