// What a supervisor sees in a child, be it an actor or another supervisor, and what it reports.
import type { ActorId, ExitReason, RestartType } from '../contract.ts';

/** down: no life now, one may come. halting: being stopped, awaited. gone: stopped for good. */
export type ChildPhase = 'down' | 'starting' | 'up' | 'halting' | 'gone';

export interface Child {
  readonly id: ActorId;
  readonly kind: 'actor' | 'supervisor';
  readonly restart: RestartType;
  readonly shutdownMs: number;
  readonly phase: ChildPhase;
  readonly generation: number;
  /** Starts a new life. It tells its host `childStarted` or `childEnded`, now or later. */
  begin(): void;
  /**
   * Ends the life in good order and calls back, at once if nothing has to be awaited. With `keepMail` it may begin
   * again and its mail waits for that; without, its mail is refused and it is gone.
   */
  halt(keepMail: boolean, done: () => void): void;
  /** It missed its shutdown time: what it holds is settled, its halt is over, and a fact names it. */
  abandon(afterMs: number): void;
  /** Its next life is too far away: mail that waits is refused, and so is new mail until then. */
  refuseMail(): void;
  /** It will not come back after its end: its mail is refused and its id is free. */
  retire(): void;
}

export interface ChildHost {
  childStarted(child: Child): void;
  /** A life ended that nobody asked to end. `poison`: the message that did it has been parked. */
  childEnded(child: Child, reason: ExitReason, poison: boolean): void;
}
