// Event cache of a session: repeated parts of events are not parsed and validated again. There is one cache per
// session and encoding; all sessions share the definitions in it.
import type { Event } from '../../model/event/event.ts';
import type { EventAddress } from '../../model/event/event-parse.ts';

export interface EventMemory {
  /** The event in `payload` if its repeating parts are cached; undefined if it must be parsed. */
  recognise(payload: Buffer, address: EventAddress): Event | undefined;
  /** Caches a parsed and validated event. Its entity must not change afterwards. */
  learn(payload: Buffer, address: EventAddress, event: Event): void;
}
