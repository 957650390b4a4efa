// Detects repeated writes of an event. A client that got no response sends the same body again, and it must count
// once. A client that reads an event, changes it and writes it back keeps the id, but that is a new result. The key
// is therefore derived from id and content: a UUID version 8 (RFC 9562, section 5.8) with the first half from the
// id.
import { createHash } from 'node:crypto';
import type { Event } from './event.ts';

/** Null for events without an id: each write counts. Call before the event is stamped. */
export const repeatKeyOf = (event: Event): string | null => {
  if (event.id === null) return null;
  const content = createHash('sha256').update(JSON.stringify(event)).digest('hex');
  const [a, b, c] = [content.slice(0, 3), content.slice(3, 7), content.slice(7, 19)];
  return `${event.id.slice(0, 14)}8${a}-${b}-${c}`;
};
