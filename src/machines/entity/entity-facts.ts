// The messages and effects of the entity machine.
import type { Entity, EntityConfig } from '../../model/entity/entity.ts';
import type { CheckEvent, Event } from '../../model/event/event.ts';
import type { ClientReport } from '../client/client-facts.ts';

export interface EntityContext {
  readonly namespace: string;
  readonly name: string;
  readonly entity: Entity;
  /** The agent's last keepalive (its check scope tells interval, timeout, ttl); null for what was never alive. */
  readonly keepalive: CheckEvent | null;
  /** When the last keepalive arrived, wall milliseconds, by our own clock. */
  readonly lastHeardMs: number | null;
  /** How long nothing had been heard when the wait of now began: 0 after a keepalive, grows with every wait that is over. */
  readonly silentMs: number;
  /** Wall time in milliseconds when that wait is over, as planned; null when nobody is waiting. */
  readonly deadlineAtMs: number | null;
  /**
   * An operator wrote the configuration as it stands. Otherwise it came with an event or a keepalive, whose sender need not
   * have the right to change entities: then its values are not trusted in a command (model/token-trust).
   */
  readonly isVouched?: boolean | undefined;
  /** The registration event, until the pipelines are done with it: told at least once, over restarts too. */
  readonly announcement?: Event | undefined;
}

/** Whose word a configuration is; without one it is an event's. */
type Author = 'operator' | 'event';

export type EntityFact =
  | {
      readonly type: 'keepalive.received';
      readonly event: CheckEvent;
      readonly nowMs: number;
      readonly newId: string;
    }
  | {
      readonly type: 'deadline.reached';
      readonly name: 'keepalive';
      readonly nowMs: number;
      readonly newId: string;
    }
  /** The first we hear of an entity that is no agent, or an operator defines one. */
  | {
      readonly type: 'entity.declared';
      readonly entity: Entity;
      readonly nowMs: number;
      readonly by?: Author;
    }
  /** An operator changed the configuration half. */
  | {
      readonly type: 'entity.configured';
      readonly config: EntityConfig;
      readonly nowMs: number;
      /** `keep`: part of the configuration was changed, the rest is whose it was. */
      readonly by?: Author | 'keep';
    }
  /** A client of the earlier generation that this entity stands for reported itself, or was reported about. */
  | { readonly type: 'client.reported'; readonly report: ClientReport; readonly nowMs: number }
  /**
   * The backend came up with this entity in its store: wait again. No entity is reported before one full timeout since
   * then; one that stays silent is reported after it.
   */
  | { readonly type: 'entity.resumed'; readonly nowMs: number }
  /** The pipelines are done with the registration event. */
  | { readonly type: 'registration.announced'; readonly nowMs: number }
  /** The agent said that it stopped; a crash or a lost line says nothing. */
  | { readonly type: 'agent.stopped'; readonly nowMs: number }
  /** The keepalive event was deleted: stop waiting until the next keepalive. */
  | { readonly type: 'keepalive.forgotten'; readonly nowMs: number }
  | { readonly type: 'entity.deleted'; readonly nowMs: number };

export type EntityEffect =
  | { readonly type: 'persist' }
  | { readonly type: 'deadline.set'; readonly name: 'keepalive'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'keepalive' }
  /** A keepalive event for the check actor `keepalive` of this entity: history, occurrences, pipelines. */
  | { readonly type: 'publish'; readonly event: CheckEvent }
  /** Straight to the pipelines, once this is durable: registration events are never stored as events. */
  | { readonly type: 'announce'; readonly event: Event }
  /** Tell the agent's session, if there is one. */
  | { readonly type: 'config.changed'; readonly config: EntityConfig; readonly isVouched: boolean }
  /** Delete this entity with all its events; each is resolved towards the pipelines first. */
  | { readonly type: 'deregister' }
  /** Remove the durable record. */
  | { readonly type: 'forget' };
