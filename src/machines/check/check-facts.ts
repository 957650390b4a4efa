// The messages and effects of the check machine.
import type { Mask } from '../../model/check/mask.ts';
import type { IncidentNote } from '../../model/event/acknowledgement.ts';
import type { CheckEvent, Event } from '../../model/event/event.ts';

/** A delivery that the pipelines are not done with. Its event is in a record of its own, which the check only names. */
export interface PendingDelivery {
  /** Grows by one for every delivery of this check; orders them. */
  readonly seq: number;
  /** Of the JSON of its event; 0 when it never waited behind another one. */
  readonly bytes: number;
  /** It tells a change of status, and not a repetition. */
  readonly isChange: boolean;
  /** Only in what came from a record of version 1 or 2, until it is in a record of its own. */
  readonly event?: Event;
}

/** A delivery that is to get a record of its own. */
interface NewDelivery {
  readonly seq: number;
  /** Whole, metrics included. */
  readonly event: Event;
  readonly bytes: number;
}

/** What one step changes about the deliveries of a check. */
export interface DeliveryChanges {
  readonly added: readonly NewDelivery[];
  /** The pipelines are done with them. */
  readonly finished: readonly number[];
  /** Given up, because too many or too large ones waited. */
  readonly dropped: readonly number[];
}

export interface CheckContext {
  readonly namespace: string;
  readonly entity: string;
  readonly check: string;
  /** The last event, merged with what came before it; without metrics. Null until the first result. */
  readonly event: CheckEvent | null;
  /**
   * Since when the event is as bad as it is, in Unix seconds; null until the first result. Absent in records of programs
   * that did not keep it: then the history tells.
   */
  readonly since?: number | null;
  /** The ids of the last events applied, so that a repeated one is applied once. See recent-ids-rule. */
  readonly recentIds: string;
  /** Wall time in milliseconds when the TTL runs out; null when nothing is expected. */
  readonly ttlAtMs: number | null;
  /** Oldest first; the head is being delivered. */
  readonly pending: readonly PendingDelivery[];
  readonly deliverySeq: number;
  /** Tells its deliveries from those of an earlier check of the same name. */
  readonly deliverySeries: number;
  /** Deliveries given up because too many or too large ones waited; see delivery-rule. */
  readonly droppedDeliveries: number;
  /**
   * Silences that end with an incident that is over, until their end is durable: a crash in between ends them again. Absent
   * most of the time.
   */
  readonly endingSilences?: readonly string[] | undefined;
  /** What the pipelines made of the last delivered event: the answer to "why was I (not) told?". */
  readonly lastTrace?: unknown;
}

/** What is special about an event that a client of the API wrote. */
export interface EventWrite {
  /** The same for a repeated write and for nothing else; null when every write counts. */
  readonly repeatKey: string | null;
  /** The trace to keep when the event is taken over with its past, and nobody is told. */
  readonly importTrace: unknown;
}

/** Facts, in the past tense. `nowMs` is wall time; machines have no clock of their own. */
export type CheckFact =
  /** A validated event whose entity is resolved; `silenced` names the silences that match it now. */
  | {
      readonly type: 'result.received';
      readonly event: CheckEvent;
      readonly nowMs: number;
      readonly silenced: readonly string[];
      /** Those of `silenced` that end on resolve: they do not hide the resolution itself. Absent means unknown. */
      readonly expiring?: readonly string[];
      /** The trace of an event without a handler that could receive it: the event is stored and not delivered. */
      readonly undeliveredTrace?: unknown;
      /** The deliveries of all checks take as much as they may: a check keeps one waiting. */
      readonly isCrowded?: boolean;
      /** What the check depends on and is down now; absent: nothing. */
      readonly masked?: readonly Mask[];
      /** Absent for a result that an agent sent, which is known by its id. */
      readonly write?: EventWrite | undefined;
    }
  /** `entityDown`: the entity's keepalive is failing, one alert is enough. */
  | {
      readonly type: 'deadline.reached';
      readonly name: 'ttl';
      readonly nowMs: number;
      readonly entityDown: boolean;
      readonly silenced: readonly string[];
      readonly undeliveredTrace?: unknown;
      readonly isCrowded?: boolean;
      /** What the check depends on and is down now; absent: nothing. */
      readonly masked?: readonly Mask[];
    }
  /** It met an outage and is tried again later; `trace` has the outcome of each handler. */
  | {
      readonly type: 'delivery.delayed';
      readonly seq: number;
      readonly nowMs: number;
      readonly trace: unknown;
    }
  /** The pipelines finished it; `trace` has the verdict of each filter, mutator and handler, as plain data. */
  | {
      readonly type: 'delivery.finished';
      readonly seq: number;
      readonly nowMs: number;
      readonly trace?: unknown;
    }
  /** These silences, which ended with an incident, are gone for good. */
  | { readonly type: 'silences.ended'; readonly names: readonly string[] }
  /** Somebody takes care of the incident. Does nothing while the check passes. `remindEverySeconds` 0: no reminders. */
  | {
      readonly type: 'incident.acknowledged';
      readonly nowMs: number;
      readonly by: string;
      readonly owner: string;
      readonly comment: string;
      readonly remindEverySeconds: number;
    }
  /** Nobody takes care of it any more: its next result reaches the handlers. */
  | { readonly type: 'incident.released' }
  | { readonly type: 'incident.noted'; readonly note: IncidentNote }
  /** The time after which handlers are reminded of an acknowledged incident is over. */
  | {
      readonly type: 'deadline.reached';
      readonly name: 'reminder';
      readonly nowMs: number;
      readonly silenced: readonly string[];
      readonly undeliveredTrace?: unknown;
      readonly isCrowded?: boolean;
      /** What the check depends on and is down now; absent: nothing. */
      readonly masked?: readonly Mask[];
    }
  /** After a restart: deliver again what was under way, and end again the silences that were ending. */
  | { readonly type: 'check.resumed'; readonly nowMs: number }
  | { readonly type: 'check.deleted' };

/** Effects, as data: the check actor's shell does them, in order, after the transition. */
export type CheckEffect =
  /** `deliveries` change in the same write. `dropped`: this step gave some up; so many since the check exists. */
  | { readonly type: 'persist'; readonly dropped?: number; readonly deliveries?: DeliveryChanges }
  | { readonly type: 'deadline.set'; readonly name: 'ttl' | 'reminder'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'ttl' | 'reminder' }
  /** Without its event, it is in its record. */
  | { readonly type: 'deliver'; readonly seq: number; readonly event?: Event }
  /** The incident has resolved: of these silences, which matched it, those that end on resolve end now. */
  | { readonly type: 'silences.resolve'; readonly names: readonly string[] }
  /** Remove the durable record. */
  | { readonly type: 'forget' };
