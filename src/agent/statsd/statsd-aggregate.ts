// StatsD aggregation: collects samples and returns points on flush. Pure: time is a parameter.
import type { Metrics } from '../../model/event/event.ts';
import type { Sample, Tag } from './statsd-lines.ts';

export type Point = NonNullable<Metrics['points']>[number];

interface Series {
  readonly kind: Sample['kind'];
  readonly name: string;
  readonly tags: readonly Tag[];
  lastSeenMs: number;
  value: number;
  readonly texts: Set<string>;
  samples: number[];
}

/** A series without samples for this long is removed; until then it is reported as idle. */
const expiryMs = 300_000;
/** Maximum number of series, and of samples per timer between two flushes; more are ignored. */
const maxSeries = 20_000;
const maxTimerSamples = 100_000;
const percentile = 0.9;

export interface StatsdAggregate {
  /** False if a limit is reached. */
  add(sample: Sample, nowMs: number): boolean;
  /** The points since the last flush; resets counters, sets and timers. */
  flush(nowMs: number): Point[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const sumSquares = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value * value, 0);

const median = (sorted: readonly number[]): number => {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
};

const deviation = (values: readonly number[], mean: number): number =>
  Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length);

type Values = readonly (readonly [string, number])[];

const percentileValues = (sorted: readonly number[]): Values => {
  const count = sorted.length === 1 ? 1 : Math.floor(percentile * sorted.length + 0.5);
  if (count === 0) return [];
  const lowest = sorted.slice(0, count);
  const total = sum(lowest);
  return [
    ['percentile_count_90', count],
    ['percentile_mean_90', total / count],
    ['percentile_sum_90', total],
    ['percentile_sum_squares_90', sumSquares(lowest)],
    ['percentile_upper_90', lowest.at(-1) ?? 0],
  ];
};

const timerValues = (samples: readonly number[], seconds: number): Values => {
  const sorted = [...samples].sort((a, b) => a - b);
  const count = sorted.length;
  const total = sum(sorted);
  const mean = count === 0 ? 0 : total / count;
  return [
    ['min', sorted[0] ?? 0],
    ['max', sorted.at(-1) ?? 0],
    ['count', count],
    ['per_second', count / seconds],
    ['mean', mean],
    ['median', count === 0 ? 0 : median(sorted)],
    ['stddev', count === 0 ? 0 : deviation(sorted, mean)],
    ['sum', total],
    ['sum_squares', sumSquares(sorted)],
    ...(count === 0 ? [] : percentileValues(sorted)),
  ];
};

const valuesOf = (series: Series, seconds: number): Values => {
  if (series.kind === 'timer') return timerValues(series.samples, seconds);
  if (series.kind === 'set') return [['value', series.texts.size]];
  if (series.kind === 'gauge') return [['value', series.value]];
  return [
    ['value', series.value],
    ['per_second', series.value / seconds],
  ];
};

const reset = (series: Series): void => {
  if (series.kind !== 'gauge') series.value = 0;
  series.texts.clear();
  series.samples = [];
};

const take = (series: Series, sample: Sample): boolean => {
  if (sample.kind === 'counter') series.value += sample.value;
  else if (sample.kind === 'gauge') series.value = sample.value;
  else if (sample.kind === 'set') series.texts.add(sample.text);
  else if (series.samples.length < maxTimerSamples) series.samples.push(sample.value);
  else return false;
  return true;
};

export const createStatsdAggregate = (startMs: number): StatsdAggregate => {
  const all = new Map<string, Series>();
  let lastFlushMs = startMs;
  return {
    add: (sample, nowMs) => {
      const key = JSON.stringify([sample.kind, sample.name, sample.tags]);
      let series = all.get(key);
      if (series === undefined) {
        if (all.size >= maxSeries) return false;
        const { kind, name, tags } = sample;
        series = { kind, name, tags, lastSeenMs: nowMs, value: 0, texts: new Set(), samples: [] };
        all.set(key, series);
      }
      series.lastSeenMs = nowMs;
      return take(series, sample);
    },
    flush: (nowMs) => {
      const seconds = Math.max((nowMs - lastFlushMs) / 1000, 0.001);
      lastFlushMs = nowMs;
      const points: Point[] = [];
      for (const [key, series] of all) {
        if (nowMs - series.lastSeenMs >= expiryMs) {
          all.delete(key);
          continue;
        }
        // Nanoseconds, as in the reference product.
        for (const [suffix, value] of valuesOf(series, seconds))
          points.push({ name: `${series.name}.${suffix}`, value, timestamp: 0, tags: [...series.tags] });
        reset(series);
      }
      return points;
    },
  };
};
