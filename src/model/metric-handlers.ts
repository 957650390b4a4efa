// The handlers of measurements: `check.output_metric_handlers` of an event that was posted. The agent copies them to
// `metrics.handlers` when it runs a check, and the pipelines read them there; for posted events it is done on their way in
// (interface, section 6).
import type { Event } from './event.ts';

/**
 * The event with `output_metric_handlers` among its metric handlers. A copy of a stored event without metrics stays as it is:
 * metrics are not stored, so it says nothing new about them.
 */
export const withMetricHandlers = <T extends Event>(event: T): T => {
  const { check, metrics } = event;
  const named = check?.output_metric_handlers ?? [];
  const isCopy = metrics === undefined && (check?.history ?? []).length > 0;
  if (named.length === 0 || isCopy) return event;
  const handlers = [...new Set([...(metrics?.handlers ?? []), ...named])];
  return { ...event, metrics: { ...metrics, points: metrics?.points ?? [], handlers } };
};
