// What the edge remembers of the events of a session, so that the parts that repeat are not parsed and validated again.
// There is one memory per session and encoding; the definitions in it are shared by all sessions.
import type { Event } from '../../model/event.ts';
import type { EventAddress } from '../../model/event-parse.ts';

export interface EventMemory {
  /** The event in `payload` when its repeating parts are known; undefined when it has to be parsed. */
  recognise(payload: Buffer, address: EventAddress): Event | undefined;
  /** Remembers an event that was parsed and validated. Its entity must not change afterwards. */
  learn(payload: Buffer, address: EventAddress, event: Event): void;
}
