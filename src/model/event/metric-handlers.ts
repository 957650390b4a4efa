// Applies `check.output_metric_handlers` to events posted over HTTP by copying them to `metrics.handlers`, where
// pipelines read them. For checks that it runs, the agent does the same.
import type { Event } from './event.ts';

/**
 * The event with `output_metric_handlers` added to its metric handlers. Events without metrics are returned
 * unchanged: metrics are not stored, so a stored event that is written back has none.
 */
export const withMetricHandlers = <T extends Event>(event: T): T => {
  const { check, metrics } = event;
  const named = check?.output_metric_handlers ?? [];
  const isCopy = metrics === undefined && (check?.history ?? []).length > 0;
  if (named.length === 0 || isCopy) return event;
  const handlers = [...new Set([...(metrics?.handlers ?? []), ...named])];
  return { ...event, metrics: { ...metrics, points: metrics?.points ?? [], handlers } };
};
