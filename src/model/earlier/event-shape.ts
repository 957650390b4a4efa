// Converts an event to the shape of the earlier generation: `client`, `check`, `action`, and an id that is stable
// for the duration of the incident. The earlier API returns this shape, and the mutator `earlier_event` passes it
// to handlers and plugins written for it.
import type { Check } from '../check/check.ts';
import type { Entity } from '../entity/entity.ts';
import type { CheckEvent } from '../event/event.ts';
import { attributesOf, incidentAnnotation } from './attributes.ts';
import { isMap, type Json } from './json.ts';

/** The handler used when a check names none. */
export const defaultHandler = 'default';
/** Marks an incident that OK results must not resolve. Only the registry resolves it. */
export const unresolved = 'unresolved';

const given = (entries: Json): Json =>
  Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== undefined && value !== 0 && value !== false),
  );

/**
 * Handlers for events that did not come from an earlier client: taken from the client's attributes, without adding
 * `default`.
 */
const addedHandlers = ({ handlers }: Check, { handler, handlers: own }: Json): Json => {
  const isDefault = handlers.length === 1 && handlers[0] === defaultHandler;
  return handler !== undefined || own !== undefined || handlers.length === 0 || isDefault ? {} : { handlers };
};

/** The check result as the earlier generation stores it, without history. */
export const earlierResult = ({ check }: CheckEvent): Json => {
  const { [unresolved]: _, ...attributes } = attributesOf(check.metadata);
  return {
    ...attributes,
    type: attributes['type'] ?? 'standard',
    ...given({
      command: check.command === '' ? undefined : check.command,
      timeout: check.timeout,
      stdin: check.stdin,
      ttl: check.ttl,
      low_flap_threshold: check.low_flap_threshold,
      high_flap_threshold: check.high_flap_threshold,
      duration: check.duration,
    }),
    ...(check.ttl_status === undefined ? {} : { ttl_status: check.ttl_status }),
    ...addedHandlers(check, attributes),
    name: check.metadata.name,
    output: check.output,
    status: check.status,
    executed: check.executed,
    issued: check.issued,
  };
};

export type EarlierAction = 'create' | 'resolve' | 'flapping';

/**
 * An OK result resolves an incident if the previous result was not OK, if an operator resolves it, or if its client
 * is removed.
 */
const isResolving = ({ check }: CheckEvent): boolean => {
  const history = check.history ?? [];
  const before = history.at(-2);
  if (history.length === 0 || attributesOf(check.metadata)['force_resolve'] === true) return true;
  return before !== undefined && (before.status !== 0 || before.flapping === true);
};

/** `flapping` takes precedence over the status; a plain OK result is also `create`. */
export const earlierAction = (event: CheckEvent): EarlierAction => {
  if (event.check.state === 'flapping') return 'flapping';
  return event.check.status === 0 && isResolving(event) ? 'resolve' : 'create';
};

export const unresolvedIn = ({ check }: CheckEvent): Json | undefined => {
  const incident = attributesOf(check.metadata)[unresolved];
  return isMap(incident) ? incident : undefined;
};

/** The earlier event registry holds only failing checks and incidents that are not yet resolved. */
export const isEarlierEvent = (event: CheckEvent): boolean =>
  event.check.status !== 0 ||
  (event.check.state === 'flapping' && attributesOf(event.check.metadata)['force_resolve'] !== true) ||
  unresolvedIn(event) !== undefined;

/**
 * Time of the last status change: the first result of the current run of equal statuses. If the run is longer than
 * the history, the time from the record is used.
 */
const changedAt = ({ check, timestamp }: CheckEvent, since: number | undefined): number => {
  const history = check.history ?? [];
  const before = history.findLastIndex(({ status }) => status !== check.status);
  if (before === -1 && since !== undefined) return since;
  return history[before + 1]?.executed ?? timestamp;
};

/** `since`: Unix seconds of the last severity change, from the event's record. */
/**
 * A resolving event keeps the occurrence count of the incident that it resolves. Only the results in the history
 * are known; beyond them, the highest known count of the incident is used.
 */
const occurrencesOf = (event: CheckEvent): number => {
  const { history, occurrences, occurrences_watermark: watermark } = event.check;
  if (earlierAction(event) !== 'resolve' || !history || history.length < 2) return occurrences;
  const before = history.slice(0, -1);
  const last = before.at(-1)?.status;
  const change = before.findLastIndex(({ status }) => status !== last);
  const count = before.length - 1 - change;
  return change === -1 ? Math.max(count, watermark) : count;
};

export const incidentOf = (event: CheckEvent, since?: number): Json => {
  const { check } = event;
  const silenced = check.silenced ?? [];
  return {
    id: check.metadata.annotations?.[incidentAnnotation] ?? event.id,
    check: {
      ...earlierResult(event),
      history: (check.history ?? []).map(({ status }) => String(status)),
      total_state_change: check.total_state_change,
    },
    occurrences: occurrencesOf(event),
    occurrences_watermark: check.occurrences_watermark,
    last_ok: check.last_ok === 0 ? null : check.last_ok,
    action: earlierAction(event),
    timestamp: event.timestamp,
    last_state_change: changedAt(event, since),
    silenced: silenced.length > 0,
    silenced_by: silenced,
  };
};

/** An event in the earlier generation's shape. The history is a list of statuses as strings. */
export const earlierEvent = (event: CheckEvent, client: Json, since?: number): Json => {
  const { id, ...rest } = unresolvedIn(event) ?? incidentOf(event, since);
  return { id, client, ...rest };
};

/** The client attributes from its entity: what the client reported, without the fields that only the registry knows. */
export const clientOf = ({ metadata, subscriptions, last_seen, mon_agent_version }: Entity): Json => ({
  address: 'unknown',
  subscriptions,
  ...attributesOf(metadata),
  name: metadata.name,
  version: mon_agent_version,
  timestamp: last_seen,
});

/**
 * The incident id of an event, given the previous event. An incident starts with the first failing result and ends
 * with the result that resolves it, which still has the same id.
 */
export const incidentIdOf = (before: CheckEvent | null, event: CheckEvent): string => {
  const isOpen = before !== null && isEarlierEvent(before);
  const known = isOpen ? (before.check.metadata.annotations?.[incidentAnnotation] ?? before.id) : event.id;
  return known ?? '';
};
