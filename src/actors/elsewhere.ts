// The seam of a cluster: an event whose entity lives on another backend leaves here, before anything is looked up. Everything about
// an entity is decided where it lives: its limits, its silences, its new checks. Without a cluster there is no elsewhere.
import type { Event } from '../model/event/event.ts';
import type { Receipt } from './runtime/outcome.ts';

/**
 * What was taken in: an agent's result, an agent's keepalive, an event of a backend about itself, or one that a client of the API
 * wrote.
 */
export type OfferedEvent =
  | { readonly type: 'event' | 'keepalive' | 'platform'; readonly event: Event }
  | { readonly type: 'written'; readonly event: Event; readonly repeatKey: string | null };

export interface Elsewhere {
  /** Whether the entity lives on this backend. Called for every event. */
  isHere(namespace: string, entity: string): boolean;
  /** To the backend where the entity lives. The receipt is called once, after the commit there. */
  offer(namespace: string, entity: string, offered: OfferedEvent, receipt: Receipt): void;
}
