// Parses events from a request body or frame: returns an Event or one error message. Runs after the guarded JSON
// parse and before RBAC.

import type { FindDefinition } from '../check/check-rules.ts';
import type { Entity } from '../entity/entity.ts';
import { type Decoded, decode } from '../schema/decode.ts';
import { isObject } from '../schema/is-object.ts';
import { type Event, eventAroundEntitySchema, eventSchema } from './event.ts';
import { validateEvent } from './event-rules.ts';
import { splitLongTimestamps } from './exact-timestamps.ts';

/** What the request URI or the agent session already determines. */
export interface EventAddress {
  readonly namespace: string;
  readonly entity?: string;
  readonly check?: string;
  /** Check definitions of the namespace. Whatever a definition may contain, its results may contain. */
  readonly definition?: FindDefinition;
}

type Json = Record<string, unknown>;

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Fills in namespace and name from the address where they are missing; returns how they conflict, or null. */
const place = (scope: Json, namespace: string, name: string | undefined): string | null => {
  const given = scope.metadata;
  const metadata: Json = isObject(given) ? given : {};
  if (given !== undefined && given !== null && metadata !== given) return null;
  scope.metadata = metadata;
  if (isUnset(metadata.namespace)) metadata.namespace = namespace;
  if (isUnset(metadata.name) && name !== undefined) metadata.name = name;
  if (metadata.namespace !== namespace) {
    return `the namespace of the resource (${metadata.namespace}) does not match the namespace of the URI (${namespace})`;
  }
  if (name !== undefined && metadata.name !== name) {
    return `the name of the resource (${metadata.name}) does not match the name of the URI (${name})`;
  }
  return null;
};

const placeScope = (body: Json, scope: 'entity' | 'check', address: EventAddress): string | null => {
  const value = body[scope];
  if (value === null) delete body[scope];
  return isObject(value) ? place(value, address.namespace, address[scope]) : null;
};

const refused = (message: string): Decoded<Event> => ({ ok: false, message });

/**
 * Parses an event and modifies `raw` in place; the caller must not use `raw` afterwards. An entity without a class
 * becomes a proxy, missing namespaces come from the address, and the event's metadata gets the namespace.
 */
export const parseEvent = (raw: unknown, address: EventAddress): Decoded<Event> => {
  if (!isObject(raw)) return refused('the body must be an object');
  const misplaced = placeScope(raw, 'entity', address) ?? placeScope(raw, 'check', address);
  if (misplaced !== null) return refused(misplaced);
  if (raw.entity === undefined) return refused('event must contain an entity');
  return finish(raw, eventSchema, address);
};

/** Parses an event whose entity was already parsed with an earlier event from the same address. */
export const parseEventAround = (raw: unknown, entity: Entity, address: EventAddress): Decoded<Event> => {
  if (!isObject(raw)) return refused('the body must be an object');
  const misplaced = placeScope(raw, 'check', address);
  if (misplaced !== null) return refused(misplaced);
  raw.entity = entity;
  return finish(raw, eventAroundEntitySchema as unknown as typeof eventSchema, address);
};

const finish = (raw: Json, schema: typeof eventSchema, address: EventAddress): Decoded<Event> => {
  if (raw.metrics === null) delete raw.metrics;
  splitLongTimestamps(raw.metrics);
  if (raw.metadata === null) delete raw.metadata;
  const decoded = decode(schema, raw, '');
  if (!decoded.ok) return decoded;
  const event = decoded.value;
  event.metadata.namespace = address.namespace;
  const fault = validateEvent(event, address.definition);
  return fault === null ? decoded : refused(fault);
};
