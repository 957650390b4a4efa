// Binary payloads: maps frame types to field tables. The frame type and its newline stay text; acknowledgements,
// which are not in the published schema, stay JSON.
import type { MessageType } from '../frames.ts';
import { type DecodedMessage, decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { checkRequestMessage, entityConfigMessage, eventMessage } from './messages.ts';

export type BinaryType = Exclude<MessageType, 'ack'>;

const tables = {
  event: eventMessage,
  keepalive: eventMessage,
  check_request: checkRequestMessage,
  entity_config: entityConfigMessage,
} as const satisfies Record<BinaryType, unknown>;

export const hasBinaryForm = (type: string): type is BinaryType => Object.hasOwn(tables, type);

/** `value` is the JSON form of the message. */
export const encodePayload = (type: BinaryType, value: object): Buffer => encodeMessage(tables[type], value);

/** The JSON form of a binary payload, not yet validated, or an error with its position. Never throws. */
export const decodePayload = (type: BinaryType, payload: Buffer): DecodedMessage =>
  decodeMessage(tables[type], payload);
