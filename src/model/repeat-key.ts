// How a repeated write of an event is recognised. A client that got no answer sends the same body again, and it must count
// once; a client that read an event, changed it and writes it back keeps the id, and that is a new result. So the key
// is made of the id and of the content: a UUID of version 8 (RFC 9562, 5.8), the first half from the id.
import { createHash } from 'node:crypto';
import type { Event } from './event.ts';

/** Null for an event without an id: each such write counts. Ask before the event is stamped. */
export const repeatKeyOf = (event: Event): string | null => {
  if (event.id === null) return null;
  const content = createHash('sha256').update(JSON.stringify(event)).digest('hex');
  const [a, b, c] = [content.slice(0, 3), content.slice(3, 7), content.slice(7, 19)];
  return `${event.id.slice(0, 14)}8${a}-${b}-${c}`;
};
