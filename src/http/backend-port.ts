// The backend interface used by the HTTP layer: everything that routes and the agent listener may call.

import type { SilenceOverview } from '../actors/families/silence/silence-overview.ts';
import type { IncidentsAnywhere, JobsAnywhere } from '../actors/reach/anywhere.ts';
import type { Resource, ResourceId } from '../actors/resources/resource-table.ts';
import type { Resources } from '../actors/resources/resources.ts';
import type { Receipt } from '../actors/runtime/contract.ts';
import type { Entity } from '../model/entity/entity.ts';
import type { CheckEvent, Event } from '../model/event/event.ts';
import type { ItemTest } from '../model/resource/item-selectors.ts';
import type { Problem } from '../model/resource/problems.ts';
import type { Silenced } from '../model/silence/silenced.ts';
import type { ContentType } from '../wire/headers.ts';

interface PageRequest {
  /** Absent means all namespaces. */
  readonly namespace?: string;
  /** The `next` of the previous page. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Present if more matching items follow. */
  readonly next?: string;
  /** Backends of a cluster whose items are missing, and why. */
  readonly missing?: readonly { readonly backend: string; readonly why: string }[];
}

export interface EventQuery extends PageRequest {
  readonly entity?: string;
  readonly filter?: ItemTest<CheckEvent>;
}

interface EntityQuery extends PageRequest {
  readonly filter?: ItemTest<Entity>;
}

/** The facts about a newly upgraded agent connection. */
interface SessionInfo {
  readonly namespace: string;
  readonly agentName: string;
  readonly user: string;
  /** From the headers; the subscriptions of a stored entity take precedence. */
  readonly subscriptions: readonly string[];
  /** The encoding of frames to this agent. */
  readonly contentType: ContentType;
  /** Secrets are sent only to agents with a client certificate. */
  readonly mutualTls: boolean;
  /** Writes a complete frame to the socket. False if the session is closed or its buffer is full. */
  send(frame: Buffer | string): boolean;
  close(code: number, reason: string): void;
}

export interface AgentSession {
  /** The socket closed. Called once. `isStopped`: the agent announced its stop and will not reconnect on its own. */
  closed(reason: string, how?: { readonly isStopped: boolean }): void;
}

export interface MemberHealth {
  readonly name: string;
  readonly healthy: boolean;
  /** Empty when healthy. */
  readonly error: string;
}

export interface HealthReport {
  readonly members: readonly MemberHealth[];
  /** Present if the store is a separate database, e.g. MongoDB. */
  readonly store?: { readonly name: string; readonly active: boolean; readonly healthy: boolean };
}

/** High while the store cannot keep up: listeners stop reading until it is low again. */
interface Pressure {
  readonly high: boolean;
  onChange(listener: (high: boolean) => void): () => void;
}

interface ProblemsPort {
  /** The problems of one resource as of its last write. */
  of(id: ResourceId): Promise<readonly Problem[]>;
  /** All resources with problems. */
  all(namespace?: string): readonly { readonly id: ResourceId; readonly problems: readonly Problem[] }[];
  /** Stores the unknown fields of a write until the next write. */
  noteUnknownFields(id: ResourceId, messages: readonly string[]): Promise<void>;
}

/** What people do about incidents. Each resolves after the commit and rejects with `notFound` or `conflict`. */
type IncidentsPort = IncidentsAnywhere;

export interface BackendPort {
  /**
   * Accepts an event from an API client; resolves after the commit. Rejects with a MonError. A write with the
   * `repeatKey` of a recent one is a retry and counts once; without a key every write counts.
   */
  acceptEvent(event: Event, repeatKey?: string | null): Promise<void>;
  /** Accepts an event from an agent, without a promise per event. The receipt is called after the commit. */
  acceptFrame(kind: 'event' | 'keepalive', event: Event, receipt: Receipt): void;
  /** Returns an empty page for an unknown entity. */
  readEvents(query: EventQuery): Promise<Page<CheckEvent>>;
  readEvent(namespace: string, entity: string, check: string): Promise<CheckEvent | undefined>;
  /** The pipeline trace of the last delivered event of a check, as plain data; undefined before the first delivery. */
  readTrace(namespace: string, entity: string, check: string): Promise<unknown>;
  /** Resolves to false if it did not exist. */
  deleteEvent(namespace: string, entity: string, check: string): Promise<boolean>;

  readonly incidents: IncidentsPort;

  /** Bulk jobs. `submit` rejects with `invalid` or `tooManyRequests`, `cancel` with `notFound` or `conflict`. */
  readonly jobs: JobsAnywhere;

  /** What the silences of a namespace do now, and which ended lately. */
  silences(namespace: string): Promise<SilenceOverview>;
  /** Ends a silence by hand. Resolves to false if there is none; `check` may throw before anything is removed. */
  clearSilence(
    silence: { readonly namespace: string; readonly name: string },
    by: string,
    check?: (current: Resource) => void,
  ): Promise<boolean>;
  /** Whether a silence covers any event of its namespace, whenever it holds. */
  silenceCovers(namespace: string, silence: Silenced): Promise<boolean>;

  readEntities(query: EntityQuery): Promise<Page<Entity>>;
  readEntity(namespace: string, name: string): Promise<Entity | undefined>;
  /** `create` rejects with `alreadyExists`; otherwise creates or replaces. Resolves to the stored value. */
  /** `isPartial`: the caller wrote only some fields. */
  putEntity(
    entity: Entity,
    options: { readonly create: boolean; readonly isPartial?: boolean },
  ): Promise<Entity>;
  /** Deletes the entity with its events. Resolves to false if it did not exist. */
  deleteEntity(namespace: string, name: string): Promise<boolean>;
  /** Whether an entity of this name exists or may be created within the entity limit. */
  admitsEntity(namespace: string, name: string): boolean;
  /** Whether an entity of this name is registered. */
  knowsEntity(namespace: string, name: string): boolean;
  /** The current number of entities and the limit; 0 means no limit. */
  entityAllowance(): { readonly count: number; readonly limit: number };

  /** Runs a check now. Rejects with `notFound`. `issued` is in seconds. */
  executeCheck(
    namespace: string,
    check: string,
    subscriptions?: readonly string[],
  ): Promise<{ readonly issued: number; readonly warnings?: readonly string[] }>;

  openSession(info: SessionInfo): AgentSession;

  /** Configuration problems; absent if they are not tracked. */
  readonly problems?: ProblemsPort;

  readonly resources: Resources;
  readonly pressure: Pressure;
  /** Why the store can't be written at the moment; absent while it can. */
  readonly storeTrouble?: string | undefined;
  /** May reject or be slow; the caller sets a timeout. */
  health(): Promise<HealthReport>;
  /** False during startup and draining. */
  isReady(): boolean;
}
