// Poison: a message its actor crashed on more than once. The message is parked, not the actor. Messages are told apart by
// their identity, so several that are offered in turn are each found; both memories are bounded, the oldest entry goes first.
import type { ActorMessage, Behaviour } from '../contract.ts';
import { maxParkedMessages, maxSuspectMessages } from '../limits.ts';

type MessageKey = string | ActorMessage;

const eventId = (message: ActorMessage): string | undefined => {
  const id = (message as { event?: { id?: unknown } }).event?.id;
  return typeof id === 'string' ? id : undefined;
};

const addBounded = (set: Set<MessageKey>, key: MessageKey, max: number): void => {
  set.add(key);
  if (set.size <= max) return;
  for (const oldest of set) {
    set.delete(oldest);
    return;
  }
};

/** Remembers what an actor crashed on; made at its first crash, so that healthy actors carry none. */
export class PoisonWatch {
  readonly #behaviour: Behaviour;
  /** Crashed on once. */
  readonly #suspects = new Set<MessageKey>();
  readonly #parked = new Set<MessageKey>();

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** True when the actor crashed on this message before: it is parked from now on. */
  crashedOn(message: ActorMessage): boolean {
    const key = this.#keyOf(message);
    if (!this.#suspects.delete(key)) {
      addBounded(this.#suspects, key, maxSuspectMessages);
      return false;
    }
    addBounded(this.#parked, key, maxParkedMessages);
    return true;
  }

  /** It was handled: the crash before was not its fault. */
  handled(message: ActorMessage): void {
    if (this.#suspects.size > 0) this.#suspects.delete(this.#keyOf(message));
  }

  isParked(message: ActorMessage): boolean {
    return this.#parked.size > 0 && this.#parked.has(this.#keyOf(message));
  }

  #keyOf(message: ActorMessage): MessageKey {
    return this.#behaviour.messageKey?.(message) ?? eventId(message) ?? message;
  }
}
