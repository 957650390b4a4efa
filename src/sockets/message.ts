// A message on a local socket: one JSON document or the word `ping`, read from bytes that may still be arriving.
import { parseGuarded } from '../model/guarded-json.ts';

export type Message =
  | { readonly type: 'ping' }
  /** More bytes may make it JSON. */
  | { readonly type: 'unfinished'; readonly why: string }
  /** Too large, or JSON that nobody should take: more bytes make it no better. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'value'; readonly value: unknown };

/** Below this everything is tried; above it only what looks complete, or a slow sender would cost us the day. */
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
