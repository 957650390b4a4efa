// Poison: a message that was being handled in two successive crashes. The message is parked, not the actor.
import type { ActorMessage, Behaviour } from './contract.ts';
import { maxParkedMessages } from './limits.ts';

type MessageKey = string | ActorMessage;

const eventId = (message: ActorMessage): string | undefined => {
  const id = (message as { event?: { id?: unknown } }).event?.id;
  return typeof id === 'string' ? id : undefined;
};

/** Remembers what an actor crashed on; made at its first crash, so that healthy actors carry none. */
export class PoisonWatch {
  readonly #behaviour: Behaviour;
  #last: MessageKey | undefined;
  readonly #parked = new Set<MessageKey>();

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** True when this is the second crash in a row on the same message: it is parked from now on. */
  crashedOn(message: ActorMessage): boolean {
    const key = this.#keyOf(message);
    const again = key === this.#last;
    this.#last = key;
    if (!again) return false;
    this.#parked.add(key);
    if (this.#parked.size > maxParkedMessages) {
      for (const oldest of this.#parked) {
        this.#parked.delete(oldest);
        break;
      }
    }
    return true;
  }

  isParked(message: ActorMessage): boolean {
    return this.#parked.size > 0 && this.#parked.has(this.#keyOf(message));
  }

  #keyOf(message: ActorMessage): MessageKey {
    return this.#behaviour.messageKey?.(message) ?? eventId(message) ?? message;
  }
}
