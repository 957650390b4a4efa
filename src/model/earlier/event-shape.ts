// An event in the shape of the earlier generation: `client`, `check`, `action`, and an id that stays the same for
// as long as the incident lasts. Its API shows it, and the mutator `earlier_event` hands it to handlers and plugins
// that were written for it.
import type { Check } from '../check.ts';
import type { Entity } from '../entity.ts';
import type { CheckEvent } from '../event.ts';
import { attributesOf, incidentAnnotation } from './attributes.ts';
import { isMap, type Json } from './json.ts';

/** Who is told when nobody is named. */
export const defaultHandler = 'default';
/** An incident that OK results did not end, as it was told: only the registry may say so. */
export const unresolved = 'unresolved';

const given = (entries: Json): Json =>
  Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== undefined && value !== 0 && value !== false),
  );

/** Those of events that came another way: a client's own attributes say whom it wants told, and are silent for `default`. */
const addedHandlers = ({ handlers }: Check, { handler, handlers: own }: Json): Json => {
  const isDefault = handlers.length === 1 && handlers[0] === defaultHandler;
  return handler !== undefined || own !== undefined || handlers.length === 0 || isDefault ? {} : { handlers };
};

/** The result of a check as the earlier generation stores it, without its history. */
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

/** An OK result ends an incident when the one before it was none, when somebody says so, or when its client goes. */
const isResolving = ({ check }: CheckEvent): boolean => {
  const history = check.history ?? [];
  const before = history.at(-2);
  if (history.length === 0 || attributesOf(check.metadata)['force_resolve'] === true) return true;
  return before !== undefined && (before.status !== 0 || before.flapping === true);
};

/** Flapping is said whatever the status; `create` is also the word for a plain OK result. */
export const earlierAction = (event: CheckEvent): EarlierAction => {
  if (event.check.state === 'flapping') return 'flapping';
  return event.check.status === 0 && isResolving(event) ? 'resolve' : 'create';
};

export const unresolvedIn = ({ check }: CheckEvent): Json | undefined => {
  const incident = attributesOf(check.metadata)[unresolved];
  return isMap(incident) ? incident : undefined;
};

/** Only what is wrong is in the earlier generation's event registry, and what nobody ended. */
export const isEarlierEvent = (event: CheckEvent): boolean =>
  event.check.status !== 0 ||
  (event.check.state === 'flapping' && attributesOf(event.check.metadata)['force_resolve'] !== true) ||
  unresolvedIn(event) !== undefined;

/**
 * When the status became what it is: the first result of the last run of equal ones. A run longer than the history began
 * when the record says.
 */
const changedAt = ({ check, timestamp }: CheckEvent, since: number | undefined): number => {
  const history = check.history ?? [];
  const before = history.findLastIndex(({ status }) => status !== check.status);
  if (before === -1 && since !== undefined) return since;
  return history[before + 1]?.executed ?? timestamp;
};

/** `since`: when the event got its severity, in Unix seconds, as its record says. */
/**
 * A resolution keeps the count of what it resolves: how often that was seen at the end. Only so many results are known; of
 * more the highest count of the incident is the best guess.
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

/** An incident as the earlier generation tells it. History is a list of statuses, as strings. */
export const earlierEvent = (event: CheckEvent, client: Json, since?: number): Json => {
  const { id, ...rest } = unresolvedIn(event) ?? incidentOf(event, since);
  return { id, client, ...rest };
};

/** A client as its entity tells of it: what it said of itself, without what only the registry knows. */
export const clientOf = ({ metadata, subscriptions, last_seen, mon_agent_version }: Entity): Json => ({
  address: 'unknown',
  subscriptions,
  ...attributesOf(metadata),
  name: metadata.name,
  version: mon_agent_version,
  timestamp: last_seen,
});

/**
 * The id of the incident an event belongs to, given that of the event before it: it begins with the first result that is
 * not OK and lasts until the one that resolves it, which still carries it.
 */
export const incidentIdOf = (before: CheckEvent | null, event: CheckEvent): string => {
  const isOpen = before !== null && isEarlierEvent(before);
  const known = isOpen ? (before.check.metadata.annotations?.[incidentAnnotation] ?? before.id) : event.id;
  return known ?? '';
};
