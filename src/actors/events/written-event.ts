// What is special about events that clients of the API write: which of them are signs of life, and what is kept as the answer
// to "why was nobody told?" when an event is taken over with its past.
import type { Event } from '../../model/event/event.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import { traceOf } from '../../pipeline/trace.ts';

const hasPast = ({ check }: Event): boolean => (check?.history ?? []).length > 0;

/**
 * A keepalive that somebody sends on behalf of an agent. An event of the check `keepalive` that tells of trouble, or that
 * was read before (it has a history) and is written back, is a result like any other.
 */
export const isSignOfLife = (event: Event): boolean =>
  event.check?.metadata.name === keepaliveCheckName &&
  event.entity.entity_class === 'agent' &&
  event.check.status === 0 &&
  !hasPast(event);

/** Undefined for an event without a past, which is delivered. */
export const importTraceOf = (event: Event, nowMs: number): unknown => {
  if (!hasPast(event)) return undefined;
  const timestamp = event.timestamp || Math.floor(nowMs / 1000);
  const run = { startedAtMs: nowMs, durationMs: 0, workflows: [], skipped: [] };
  const summary = 'imported with its history: handlers are called from the next result on';
  return { ...traceOf({ ...event, timestamp }, run), summary };
};
