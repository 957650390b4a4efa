// The messages of the event list, shared by server and page. Types only.
import type { EventCounts } from '../../../actors/events/event-index.ts';

export type { EventCounts };

/**
 * Whether the check can be run again here: `agent` by the agent of the entity, `proxy` by the agents that run it for the
 * entity; `noCheck`: no check of this name is set up, so the event came from elsewhere; `noAgent`: no agent that would run it
 * is connected.
 */
export type Rerun = 'agent' | 'proxy' | 'noCheck' | 'noAgent';

/** Why an event left a list. `other`: it does not fit what was asked for any more. */
export type WhyGone = 'deleted' | 'passing' | 'silenced' | 'other';

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
  };
}

export interface EventListPage {
  readonly items: readonly EventRow[];
  /** The total number of matches. */
  readonly total: number;
  /** Of all severities, silenced or not; of those that fit what else was asked for. */
  readonly counts: EventCounts;
  /** Token of the next page; absent on the last page. */
  readonly next?: string;
  /** The position from which a stream continues: `Last-Event-ID`. */
  readonly cursor: string;
}

/** `event: changes` of the stream. */
export interface EventChanges {
  /** Absent where the list is of a part of the namespace: nobody counts that at every change. */
  readonly counts?: EventCounts;
  /** New or changed rows. */
  readonly rows: readonly EventRow[];
  /** `entity/check` of rows that no longer match or were deleted. */
  readonly gone: readonly string[];
  /** By `entity/check`, of those in `gone`. */
  readonly why: Readonly<Record<string, WhyGone>>;
}
