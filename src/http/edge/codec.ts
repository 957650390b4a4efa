// Codecs for payload encodings, selected per session by the Accept header of the upgrade request. The backend uses
// JSON internally; for agents with binary encoding, payloads are converted here in both directions.
import { parseGuarded } from '../../model/schema/guarded-json.ts';
import { decodeFrame, encodeFrame } from '../../wire/frames.ts';
import { type ContentType, jsonType, protobufType } from '../../wire/headers.ts';
import { maxPayloadBytes } from '../../wire/limits.ts';
import { decodePayload, encodePayload, hasBinaryForm } from '../../wire/protobuf/payloads.ts';
import { createBinaryMemory, type KnownDefinitions } from './binary-memory.ts';
import type { EventMemory } from './event-memory.ts';
import { createJsonMemory } from './json-memory.ts';
import type { KnownFrames } from './known-frame.ts';

type Decoded =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

export interface AgentCodec {
  readonly contentType: ContentType;
  /** Plain data, not yet validated, or an error with the position. Never throws. */
  decodeEvent(payload: Buffer): Decoded;
  /** Converts an outgoing frame with a JSON payload to the encoding of this codec. */
  outgoing(frame: Buffer | string): Buffer | string;
  /** Creates the event cache of a session; `shared` is the cache of all sessions of a listener. */
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

/** A check request is sent to many sessions as the same buffer, so it is converted once. */
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

/** All supported codecs, in the order listed in the upgrade response. */
export const codecs: readonly AgentCodec[] = [protobufCodec, jsonCodec];

/** The requested codec, or JSON, which every agent supports. */
export const chooseCodec = (accept: ContentType): AgentCodec =>
  codecs.find(({ contentType }) => contentType === accept) ?? jsonCodec;
