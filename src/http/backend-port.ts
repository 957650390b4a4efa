// The backend as the HTTP room sees it: everything routes and the agent edge may ask of the actor core.

import type { ResourceId } from '../actors/resources/resource-table.ts';
import type { Resources } from '../actors/resources/resources.ts';
import type { Receipt } from '../actors/runtime/contract.ts';
import type { Entity } from '../model/entity.ts';
import type { CheckEvent, Event } from '../model/event.ts';
import type { Problem } from '../model/problems.ts';
import type { ContentType } from '../wire/headers.ts';

export interface PageRequest {
  /** Absent means all namespaces. */
  readonly namespace?: string;
  /** The `next` of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Present when more matching items follow. */
  readonly next?: string;
}

export interface EventQuery extends PageRequest {
  readonly entity?: string;
  readonly filter?: (event: Event) => boolean;
}

export interface EntityQuery extends PageRequest {
  readonly filter?: (entity: Entity) => boolean;
}

/** What the edge says of a connection that has just been upgraded. */
export interface SessionInfo {
  readonly namespace: string;
  readonly agentName: string;
  readonly user: string;
  /** From the headers; the stored entity's subscriptions win over them. */
  readonly subscriptions: readonly string[];
  /** How frames to this agent must be encoded. */
  readonly contentType: ContentType;
  /** Secrets travel only to agents that showed a client certificate (interface section 5.5). */
  readonly mutualTls: boolean;
  /** Hands a whole frame to the socket. False when the session is gone or its buffer is full. */
  send(frame: Buffer | string): boolean;
  close(code: number, reason: string): void;
}

export interface AgentSession {
  /** The socket is gone. Called once. `isStopped`: the agent said that it stopped, and does not come back by itself. */
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
  /** Present when the store is a database of its own, for instance MongoDB. */
  readonly store?: { readonly name: string; readonly active: boolean; readonly healthy: boolean };
}

/** High while the store cannot keep up: edges stop reading until it is low again. */
export interface Pressure {
  readonly high: boolean;
  onChange(listener: (high: boolean) => void): () => void;
}

export interface ProblemsPort {
  /** The problems of one resource, as of its last write. */
  of(id: ResourceId): Promise<readonly Problem[]>;
  /** Every resource that has some. */
  all(namespace?: string): readonly { readonly id: ResourceId; readonly problems: readonly Problem[] }[];
  /** Keeps the unknown fields of a write until the next one. */
  noteUnknownFields(id: ResourceId, messages: readonly string[]): Promise<void>;
}

export interface BackendPort {
  /**
   * Takes an event in that a client of the API wrote; resolves after the commit. Rejects with a MonError. A write with the
   * `repeatKey` of one that was just taken in is a retry and counts once; without a key every write counts.
   */
  acceptEvent(event: Event, repeatKey?: string | null): Promise<void>;
  /** The agent road: no promise per event. The receipt is told after the commit. */
  acceptFrame(kind: 'event' | 'keepalive', event: Event, receipt: Receipt): void;
  /** Resolves an empty page for an entity nobody knows. */
  readEvents(query: EventQuery): Promise<Page<CheckEvent>>;
  readEvent(namespace: string, entity: string, check: string): Promise<CheckEvent | undefined>;
  /** What the pipelines made of the last delivered event of a check, as plain data; undefined before the first. */
  readTrace(namespace: string, entity: string, check: string): Promise<unknown>;
  /** Resolves false when there was none. */
  deleteEvent(namespace: string, entity: string, check: string): Promise<boolean>;

  readEntities(query: EntityQuery): Promise<Page<Entity>>;
  readEntity(namespace: string, name: string): Promise<Entity | undefined>;
  /** `create`: rejects with `alreadyExists`. Otherwise creates or replaces. Resolves with what is stored. */
  /** `isPartial`: the caller wrote only a part of it. */
  putEntity(
    entity: Entity,
    options: { readonly create: boolean; readonly isPartial?: boolean },
  ): Promise<Entity>;
  /** Deletes the entity with its events. Resolves false when there was none. */
  deleteEntity(namespace: string, name: string): Promise<boolean>;
  /** Whether one more entity of this name may come to be (interface section 8). True for those that exist. */
  admitsEntity(namespace: string, name: string): boolean;
  /** Whether an entity of this name is registered. */
  knowsEntity(namespace: string, name: string): boolean;
  /** Entities watched now and entities allowed; 0 for no limit. */
  entityAllowance(): { readonly count: number; readonly limit: number };

  /** Runs a check now. Rejects with `notFound`. `issued` is in seconds. */
  executeCheck(
    namespace: string,
    check: string,
    subscriptions?: readonly string[],
  ): Promise<{ readonly issued: number; readonly warnings?: readonly string[] }>;

  openSession(info: SessionInfo): AgentSession;

  /** What can't work as it stands; absent where nobody looks for it. */
  readonly problems?: ProblemsPort;

  readonly resources: Resources;
  readonly pressure: Pressure;
  /** May reject or be slow: the caller bounds it. */
  health(): Promise<HealthReport>;
  /** False while starting up and while draining. */
  isReady(): boolean;
}
