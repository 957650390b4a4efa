// The way in for events: what a body or a frame held becomes an Event, or one sentence about what is wrong
// (API sheet, section 8.1, steps 2 to 5). Where it stands on the road: after the guarded JSON parse, before RBAC.

import type { FindDefinition } from './check-rules.ts';
import { type Decoded, decode } from './decode.ts';
import type { Entity } from './entity.ts';
import { type Event, eventAroundEntitySchema, eventSchema } from './event.ts';
import { validateEvent } from './event-rules.ts';
import { splitLongTimestamps } from './exact-timestamps.ts';
import { isObject } from './is-object.ts';

/** What the address of a request, or the session of an agent, already says. */
export interface EventAddress {
  readonly namespace: string;
  readonly entity?: string;
  readonly check?: string;
  /** The definitions of the namespace: what one says, its results may say. */
  readonly definition?: FindDefinition;
}

type Json = Record<string, unknown>;

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Fills what the address says and the scope leaves open; returns how they disagree, or null. */
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
 * Reads an event, in place: `raw` must be freshly parsed and belongs to this function. An entity without a class is a
 * proxy; namespaces left open are the address's; the event's own metadata takes the namespace too.
 */
export const parseEvent = (raw: unknown, address: EventAddress): Decoded<Event> => {
  if (!isObject(raw)) return refused('the body must be an object');
  const misplaced = placeScope(raw, 'entity', address) ?? placeScope(raw, 'check', address);
  if (misplaced !== null) return refused(misplaced);
  if (raw.entity === undefined) return refused('event must contain an entity');
  return finish(raw, eventSchema, address);
};

/** The same for an event whose entity was read with an earlier one from the same address: it is taken as it is. */
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
