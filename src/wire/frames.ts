// Frames: how one message lies in one WebSocket message: `<type>\n<payload>`. First step on the road of an event:
// bytes come in here and leave as a type and its payload, not yet parsed.
import { maxFrameTypeBytes } from './limits.ts';

export const messageTypes = ['keepalive', 'event', 'entity_config', 'check_request', 'ack'] as const;
export type MessageType = (typeof messageTypes)[number];

export interface Frame {
  /** As it stood on the wire: it may be a type nobody knows. */
  readonly type: string;
  /** The whole rest, newlines included; a view on the received bytes, not a copy. */
  readonly payload: Buffer;
}

/** What both ends say of a message that is no frame. */
export const invalidMessage = 'invalid message';
export const unknownMessageType = (type: string): string => `unknown message type: ${type}`;

const newline = 0x0a;
const knownTypes: ReadonlySet<string> = new Set(messageTypes);

export const isMessageType = (type: string): type is MessageType => knownTypes.has(type);

/** Splits at the first newline. Null means `invalid message`: it ends the session of whoever sent it. */
export const decodeFrame = (bytes: Buffer): Frame | null => {
  const end = bytes.indexOf(newline);
  if (end < 0 || end > maxFrameTypeBytes) return null;
  return { type: bytes.toString('latin1', 0, end), payload: bytes.subarray(end + 1) };
};

/** One message, ready to be sent as a binary frame. */
export const encodeFrame = (type: MessageType, payload: string | Uint8Array): Buffer =>
  typeof payload === 'string'
    ? Buffer.from(`${type}\n${payload}`)
    : Buffer.concat([Buffer.from(`${type}\n`), payload]);

/** What the `ws` library hands out, as one buffer. */
export const asBuffer = (data: Buffer | ArrayBuffer | readonly Buffer[]): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.concat(data as readonly Buffer[]);
};
