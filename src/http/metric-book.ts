// The metrics of a backend as Prometheus reads them. Every value is read when it is scraped, from plain numbers and histograms
// that the hot path keeps; the answer is cached, so that many scrapes cost no more than one.
import { type Metric, Registry } from 'prom-client';
import type { HistogramFigures } from '../actors/runtime/load/histogram.ts';
import { scrapeLifetimeMs } from './limits.ts';
import { QueuePeaks, type ShownQueue } from './queue-peaks.ts';

type Labels = Readonly<Record<string, string | number>>;

interface Described {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A value, or one for each set of labels; undefined when there is none at the moment. */
type ReadValues = () => number | undefined | readonly (readonly [Labels, number])[] | Promise<number>;

export interface MetricBook {
  readonly registry: Registry;
  gauge(metric: Described, read: ReadValues): void;
  /** The name ends in `_total`. */
  counter(metric: Described, read: ReadValues): void;
  histogram(metric: Described, read: () => readonly (readonly [Labels, HistogramFigures])[]): void;
  /** Adds a queue to `mon_backend_queue_length`, its peak and its limit. */
  queue(queue: ShownQueue): void;
  /** Every metric, whether it has a value or not. */
  described(): readonly Required<Described & { readonly type: string }>[];
  /** The response of `/metrics`, computed at most once per second. */
  text(): Promise<string>;
  /** Stops looking at queues. */
  close(): void;
}

interface Value {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/** Prometheus counts in a bucket what is in the buckets below it as well. */
const seriesOf = (name: string, labels: Labels, { bounds, counts, sum }: HistogramFigures): Value[] => {
  let count = 0;
  const buckets = counts.map((inBucket, index): Value => {
    count += inBucket;
    const le = bounds[index] ?? '+Inf';
    return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
};

const valuesOf = async (read: ReadValues): Promise<readonly Value[]> => {
  const values = await read();
  if (values === undefined) return [];
  if (typeof values === 'number') return [{ labels: {}, value: values }];
  return values.map(([labels, value]) => ({ labels, value }));
};

export const createMetricBook = (monotonicMs: () => number): MetricBook => {
  const registry = new Registry();
  const queues: ShownQueue[] = [];
  const peaks = new QueuePeaks(queues, monotonicMs);
  let scraped: { readonly atMs: number; readonly text: Promise<string> } | undefined;

  /** The registry asks a metric for its name and its values; that is all there is to one. */
  const register = (
    { name, help, labels = [] }: Described,
    type: 'gauge' | 'counter' | 'histogram',
    values: () => Promise<readonly Value[]>,
  ): void => {
    if (registry.getSingleMetric(name) !== undefined) throw new Error(`the metric ${name} exists already`);
    const metric = {
      ...{ name, help, type, labelNames: labels },
      get: async () => ({ name, help, type, values: await values() }),
    };
    registry.registerMetric(metric as unknown as Metric);
  };
  const ofQueues = (read: (queue: ShownQueue) => number | undefined) => () =>
    queues.flatMap((queue) => {
      const value = read(queue);
      return value === undefined ? [] : [[{ queue: queue.queue }, value] as const];
    });

  const book: MetricBook = {
    registry,
    gauge: (metric, read) => register(metric, 'gauge', () => valuesOf(read)),
    counter: (metric, read) => register(metric, 'counter', () => valuesOf(read)),
    histogram: (metric, read) =>
      register(metric, 'histogram', async () =>
        read().flatMap(([labels, figures]) => seriesOf(metric.name, labels, figures)),
      ),
    queue: (queue) => void queues.push(queue),
    described: () =>
      registry.getMetricsAsArray().map((metric) => {
        const { name, help, type, labelNames } = metric as unknown as Record<string, unknown>;
        return {
          name: String(name),
          help: String(help),
          type: typeof type === 'string' ? type : metric.constructor.name.toLowerCase(),
          labels: Array.isArray(labelNames) ? labelNames.filter((label) => label !== 'le') : [],
        };
      }),
    text() {
      const nowMs = monotonicMs();
      if (scraped !== undefined && nowMs - scraped.atMs < scrapeLifetimeMs) return scraped.text;
      const text = registry.metrics();
      scraped = { atMs: nowMs, text };
      text.catch(() => {
        // The next request retries; this one gets the rejected promise.
        scraped = undefined;
      });
      return text;
    },
    close: () => peaks.close(),
  };
  const labels = ['queue'];
  book.gauge(
    { name: 'mon_backend_queue_length', help: 'What waits in each queue now.', labels },
    ofQueues(({ read }) => read()),
  );
  book.gauge(
    {
      name: 'mon_backend_queue_length_peak',
      help: 'The longest each queue was in the last one to two minutes; lengths are looked at once a second.',
      labels,
    },
    ofQueues((queue) => peaks.of(queue)),
  );
  book.gauge(
    {
      name: 'mon_backend_queue_limit',
      help: 'Where a queue refuses more or asks its senders to pause.',
      labels,
    },
    ofQueues(({ limit }) => limit),
  );
  return book;
};
