// Timestamps of metrics that are past the exact numbers of JavaScript: StatsD of the reference product's agents counts
// nanoseconds. Inside, a point carries their digits beside the nearest number; in JSON they are one number, digit by digit.
import type { Event, MetricPoint } from './event.ts';

type Json = Record<string, unknown>;

const longTimestamp = /"timestamp"\s*:\s*(-?\d{17,19})(?=\s*[,}])/g;
const digits = /^-?\d{17,19}$/;

/**
 * A JSON text whose parser would round such timestamps: they become strings. Only a text that has points pays for it. Inside a
 * string of the text a quote is escaped, so nothing there is touched.
 */
export const quoteLongTimestamps = (text: string): string =>
  text.includes('"points"') ? text.replace(longTimestamp, '"timestamp":"$1"') : text;

/** Splits them into number and digits, in place; asked before the schema, of metrics that were just parsed. */
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

/** What readers get of points: the number alone. */
export const withoutDigits = (points: readonly MetricPoint[]): readonly MetricPoint[] =>
  points.some(isExact) ? points.map(({ exact_timestamp: _, ...point }) => point) : points;

/** JSON of an event as it is handed on: `shape` with the timestamps of the metrics of `event` to the digit. */
export const jsonWithTimestamps = (shape: Readonly<Json>, { metrics }: Event): string => {
  const points = metrics?.points ?? [];
  if (!points.some(isExact)) return JSON.stringify(shape);
  const handlers = JSON.stringify(metrics?.handlers ?? null);
  const around = JSON.stringify({ ...shape, metrics: undefined }).slice(0, -1);
  return `${around},"metrics":{"handlers":${handlers},"points":[${points.map(pointText).join(',')}]}}`;
};
