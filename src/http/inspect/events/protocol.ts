// The messages of the event list, shared by server and page. Types only.
import type { EventCounts } from '../../../actors/events/event-index.ts';
import type { Severity } from '../../../machines/check/severity-rule.ts';

import type { Mask } from '../../../model/check/mask.ts';

export type { EventCounts };

/**
 * Whether the check can be run again: `agent`: by the entity's own agent; `proxy`: by the agents that run it for the entity;
 * `noCheck`: no check with this name is defined; `noAgent`: no connected agent would run it.
 */
export type Rerun = 'agent' | 'proxy' | 'noCheck' | 'noAgent';

/** Why an event left a list. `other`: it no longer matches the query. */
export type WhyGone = 'deleted' | 'passing' | 'silenced' | 'masked' | 'acknowledged' | 'other';

/** An event as a list row, without the entity's system facts and the check's command. */
export interface EventRow {
  readonly id: string | null;
  /** Unix seconds, like all times below. */
  readonly timestamp: number;
  /** Time of the last severity change. */
  readonly since: number;
  readonly rerun: Rerun;
  readonly entity: {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly entity_class: string;
    readonly subscriptions: readonly string[];
    readonly last_seen: number;
  };
  readonly check: {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly status: number;
    readonly state: string;
    /** The start of the output. */
    readonly output: string;
    readonly interval: number;
    readonly ttl: number;
    readonly executed: number;
    readonly issued: number;
    readonly last_ok: number;
    readonly occurrences: number;
    readonly occurrences_watermark: number;
    readonly total_state_change: number;
    readonly history: readonly { readonly status: number; readonly executed: number }[];
    readonly handlers: readonly string[];
    readonly subscriptions: readonly string[];
    readonly proxy_entity_name: string;
    readonly is_silenced: boolean;
    readonly silenced: readonly string[];
    /** What masks it now: what it depends on and is down. */
    readonly masked_by: readonly Mask[];
    /** How many events it masks. */
    readonly masks: number;
    /** Null: nobody takes care of it. */
    readonly acknowledgement: RowAcknowledgement | null;
    /** How many notes the incident has. */
    readonly notes: number;
  };
}

/** Times are Unix seconds. */
export interface RowAcknowledgement {
  readonly owner: string;
  readonly comment: string;
  readonly at: number;
  /** Seconds; 0: no reminders. */
  readonly remind_every: number;
  /** 0: no reminder. */
  readonly remind_at: number;
}

export interface EventListPage {
  readonly items: readonly EventRow[];
  /** The total number of matches. */
  readonly total: number;
  /** Counts by severity, silenced, masked, both or neither, of the events that match the rest of the query. */
  readonly counts: EventCounts;
  /** Token of the next page; absent on the last page. */
  readonly next?: string;
  /** Of a list of all namespaces: those the caller may list events in; absent if these are all. */
  readonly namespaces?: readonly string[];
  /** The position from which a stream continues: `Last-Event-ID`. */
  readonly cursor: string;
  /** Backends of a cluster whose events are not in the answer, and why. */
  readonly missing?: readonly { readonly backend: string; readonly why: string }[];
}

/** `event: changes` of the stream. */
export interface EventChanges {
  /** Absent if the list covers only a part of the namespace: its counts are not maintained. */
  readonly counts?: EventCounts;
  /** New or changed rows. */
  readonly rows: readonly EventRow[];
  /** `entity/check` of rows that no longer match or were deleted; with the namespace before it in a list of all namespaces. */
  readonly gone: readonly string[];
  /** Reasons for the entries of `gone`. */
  readonly why: Readonly<Record<string, WhyGone>>;
}

/** A group of events in a list. */
export interface EventGroupRow {
  /** Empty: without an owner, or without the label. Entities in a list of all namespaces: `namespace/entity`. */
  readonly name: string;
  readonly counts: Readonly<Record<Severity, number>>;
  readonly total: number;
  readonly acknowledged: number;
  readonly silenced: number;
  /** Time of the last severity change of any of its events. */
  readonly since: number;
}

export interface EventGroupList {
  /** Those with most critical events first. */
  readonly groups: readonly EventGroupRow[];
  /** How many groups there are, listed or not. */
  readonly total: number;
  /** Backends of a cluster whose events are not in the answer, and why. */
  readonly missing?: readonly { readonly backend: string; readonly why: string }[];
}
