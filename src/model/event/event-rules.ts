// Validation rules for events. Messages and their order match the reference product. They run once for every event,
// from agents and from the HTTP API.
import { type FindDefinition, pipelineReferenceFault, validateCheck } from '../check/check-rules.ts';
import { validateEntity } from '../entity/entity-rules.ts';
import { maxMetricTags } from '../limits.ts';
import type { Event } from './event.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const isUuid = (text: string): boolean => uuid.test(text);

const scoped = (scope: string, fault: string | null): string | null =>
  fault === null ? null : `${scope} ${fault}`;

const pipelinesFault = (event: Event): string | null => {
  for (const reference of event.pipelines ?? []) {
    const fault = scoped('pipeline reference is invalid:', pipelineReferenceFault(reference));
    if (fault !== null) return fault;
  }
  return null;
};

/** The last second of the year 9999. What is later is in milliseconds, or no time at all. */
const maxSeconds = 253_402_300_799;

/** The only rule about values that differ between results of a check; frames whose definition is cached need no other. */
export const timeFault = ({ timestamp, check }: Pick<Event, 'timestamp' | 'check'>): string | null =>
  secondsFault('timestamp', timestamp) ??
  secondsFault('check.executed', check?.executed) ??
  secondsFault('check.issued', check?.issued);

const secondsFault = (field: string, seconds: number | undefined): string | null =>
  seconds !== undefined && seconds > maxSeconds
    ? `${field} must be in seconds since 1970 (got ${seconds})`
    : null;

const tagsFault = ({ metrics }: Event): string | null => {
  let tags = 0;
  for (const point of metrics?.points ?? []) tags += point.tags?.length ?? 0;
  return tags <= maxMetricTags
    ? null
    : `metrics.points must have at most ${maxMetricTags} tags in all, not ${tags}: send several events`;
};

/** The first failing rule of an event, or null. `find` looks up the definitions of its namespace. */
export const validateEvent = (event: Event, find?: FindDefinition): string | null => {
  const { check, metrics } = event;
  if (event.entity === undefined) return 'event must contain an entity';
  if (check === undefined && metrics === undefined) return 'event must contain a check or metrics';
  return (
    scoped('entity is invalid:', validateEntity(event.entity)) ??
    (check === undefined ? null : scoped('check is invalid:', validateCheck(check, find))) ??
    timeFault(event) ??
    tagsFault(event) ??
    pipelinesFault(event) ??
    (event.metadata.name ? 'events cannot be named' : null) ??
    (event.id === null || isUuid(event.id) ? null : `event ID is invalid: ${event.id} is not a UUID`)
  );
};
