// The frame format of a WebSocket message: `<type>\n<payload>`. First step of the event flow: splits bytes into a
// type and an unparsed payload.
import { maxFrameTypeBytes } from './limits.ts';

export const messageTypes = ['keepalive', 'event', 'entity_config', 'check_request', 'ack'] as const;
export type MessageType = (typeof messageTypes)[number];

export interface Frame {
  /** As received; may be an unknown type. */
  readonly type: string;
  /** Everything after the first newline, as a view on the received bytes. */
  readonly payload: Buffer;
}

/** The error for a message that is not a valid frame. */
export const invalidMessage = 'invalid message';
export const unknownMessageType = (type: string): string => `unknown message type: ${type}`;

const newline = 0x0a;

/** `<type>\n` as bytes: results and keepalives are recognized without making a string of their type. */
const usual = (['event', 'keepalive'] as const).map((type) => ({ type, bytes: Buffer.from(`${type}\n`) }));

const startsWith = (bytes: Buffer, start: Buffer): boolean => {
  for (let at = 0; at < start.length; at += 1) if (bytes[at] !== start[at]) return false;
  return true;
};

/** Splits at the first newline. Null means an invalid message, which ends the session. */
export const decodeFrame = (bytes: Buffer): Frame | null => {
  for (const { type, bytes: start } of usual)
    if (startsWith(bytes, start)) return { type, payload: bytes.subarray(start.length) };
  const end = bytes.indexOf(newline);
  if (end < 0 || end > maxFrameTypeBytes) return null;
  return { type: bytes.toString('latin1', 0, end), payload: bytes.subarray(end + 1) };
};

/** Encodes one message as a binary frame. */
export const encodeFrame = (type: MessageType, payload: string | Uint8Array): Buffer =>
  typeof payload === 'string'
    ? Buffer.from(`${type}\n${payload}`)
    : Buffer.concat([Buffer.from(`${type}\n`), payload]);

/** Converts message data of the `ws` library to one buffer. */
export const asBuffer = (data: Buffer | ArrayBuffer | readonly Buffer[]): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.concat(data as readonly Buffer[]);
};
