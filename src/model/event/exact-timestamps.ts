// Metric timestamps above Number.MAX_SAFE_INTEGER: the reference product's agents send nanoseconds for StatsD. In
// memory, a point holds the nearest number and the exact digits; in JSON it is one number with all digits.
import type { Event, MetricPoint } from './event.ts';

type Json = Record<string, unknown>;

const longTimestamp = /"timestamp"\s*:\s*(-?\d{17,19})(?=\s*[,}])/g;
const digits = /^-?\d{17,19}$/;

/**
 * Turns long timestamps in a JSON text into strings, so that the parser does not round them. Only texts with metric
 * points are searched. Quotes inside JSON strings are escaped, so string contents never match.
 */
export const quoteLongTimestamps = (text: string): string =>
  text.includes('"points"') ? text.replace(longTimestamp, '"timestamp":"$1"') : text;

/** Splits long timestamps into number and digits, in place. Runs on freshly parsed metrics, before the schema. */
export const splitLongTimestamps = (metrics: unknown): void => {
  const points = (metrics as Json | null | undefined)?.points;
  if (!Array.isArray(points)) return;
  for (const point of points as (Json | null)[]) {
    if (typeof point !== 'object' || point === null) continue;
    delete point.exact_timestamp;
    const { timestamp } = point;
    if (typeof timestamp !== 'string' || !digits.test(timestamp)) continue;
    point.exact_timestamp = timestamp;
    point.timestamp = Number(timestamp);
  }
};

const isExact = ({ exact_timestamp: exact }: MetricPoint): boolean => exact !== undefined;

const pointText = ({ exact_timestamp: exact, ...point }: MetricPoint): string => {
  if (exact === undefined || !digits.test(exact)) return JSON.stringify(point);
  const { timestamp: _, ...rest } = point;
  return `${JSON.stringify(rest).slice(0, -1)},"timestamp":${exact}}`;
};

/** The points as returned to readers, with the number only. */
export const withoutDigits = (points: readonly MetricPoint[]): readonly MetricPoint[] =>
  points.some(isExact) ? points.map(({ exact_timestamp: _, ...point }) => point) : points;

/**
 * The JSON of an event with exact timestamps: serializes `shape` and inserts the digits from the metrics of
 * `event`.
 */
export const jsonWithTimestamps = (shape: Readonly<Json>, { metrics }: Event): string => {
  const points = metrics?.points ?? [];
  if (!points.some(isExact)) return JSON.stringify(shape);
  const handlers = JSON.stringify(metrics?.handlers ?? null);
  const around = JSON.stringify({ ...shape, metrics: undefined }).slice(0, -1);
  return `${around},"metrics":{"handlers":${handlers},"points":[${points.map(pointText).join(',')}]}}`;
};
