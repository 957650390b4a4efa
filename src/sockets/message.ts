// Parses a message on a local socket: one JSON document or the word `ping`, possibly incomplete.
import { parseGuarded } from '../model/schema/guarded-json.ts';

export type Message =
  | { readonly type: 'ping' }
  /** More bytes may complete the JSON. */
  | { readonly type: 'unfinished'; readonly why: string }
  /** Too large or not acceptable; more bytes do not change that. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'value'; readonly value: unknown };

/**
 * Smaller messages are parsed on every chunk. Larger ones only if they look complete, since parsing on every chunk
 * would be too slow.
 */
const alwaysTriedBytes = 65_536;
const closers: readonly (number | undefined)[] = [0x7d, 0x5d];

const looksComplete = (bytes: Buffer): boolean => {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return closers.includes(bytes[at]);
};

export const readMessage = (bytes: Buffer, maxBytes: number): Message => {
  if (bytes.length < 64 && bytes.toString('latin1').trim() === 'ping') return { type: 'ping' };
  if (bytes.length > alwaysTriedBytes && bytes.length <= maxBytes && !looksComplete(bytes))
    return { type: 'unfinished', why: 'unexpected end of JSON' };
  const parsed = parseGuarded(bytes, { maxBytes });
  if (parsed.ok) return { type: 'value', value: parsed.value };
  return { type: parsed.why === 'notJson' ? 'unfinished' : 'refused', why: parsed.message };
};
