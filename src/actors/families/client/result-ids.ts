// The event id of a result that came over a broker. A broker delivers again what was not acknowledged, also when it was
// committed just before; a client on the WebSocket, what was answered with an outage and may be committed later. So the id
// comes from the content: the check actor knows it and applies the result once.
import { createHash } from 'node:crypto';
import { isMap } from '../../../model/earlier/json.ts';
import { maxResultIds } from './limits.ts';

/** Without its times two runs of a check may look alike, and both count. */
const tellsItsTimes = (message: unknown): boolean =>
  isMap(message) &&
  isMap(message['check']) &&
  Number.isInteger(message['check']['issued']) &&
  Number.isInteger(message['check']['executed']);

/** A UUID of version 8 (RFC 9562, 5.8). */
const contentId = (content: string): string => {
  const hex = createHash('sha256').update(content).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
};

export class ResultIds {
  readonly #newId: () => string;
  /** Ids that were given, the oldest first. */
  readonly #given = new Set<string>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** The same content that comes twice within a second counts twice, unless the broker says that it delivers again. */
  of(content: string, message: unknown, redelivered: boolean): string {
    if (!tellsItsTimes(message)) return this.#newId();
    const id = contentId(content);
    if (redelivered) return id;
    if (this.#given.has(id)) return this.#newId();
    this.#given.add(id);
    for (const oldest of this.#given) {
      if (this.#given.size <= maxResultIds) break;
      this.#given.delete(oldest);
    }
    return id;
  }

  /** The message was not taken: the next one of the same content is this one again. */
  forget(id: string): void {
    this.#given.delete(id);
  }
}
