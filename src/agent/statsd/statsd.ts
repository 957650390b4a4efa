// The StatsD listener: receives metric lines and reports aggregates on every flush.
import type { Entity } from '../../model/entity/entity.ts';
import type { Event } from '../../model/event/event.ts';
import type { Logger } from '../../program/log.ts';
import { type Clock, every, nowSeconds } from '../clock.ts';
import type { Counters } from '../counters.ts';
import { createStatsdAggregate, type Point } from './statsd-aggregate.ts';
import { isStatsdEvent, parseLine, splitLines } from './statsd-lines.ts';
import { defaultListener, type OpenStatsdListener } from './statsd-listeners.ts';

export interface StatsdOptions {
  readonly host: string;
  readonly port: number;
  readonly flushIntervalMs: number;
  readonly handlers: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly counters: Counters;
  readonly entity: () => Entity;
  readonly newId: () => string;
  readonly report: (event: Event) => void;
}

export interface StatsdListener {
  readonly port: number;
  close(): Promise<void>;
}

const metricsEvent = (points: readonly Point[], options: StatsdOptions): Event => {
  // Seconds, like every timestamp of the interface; the reference product uses nanoseconds here.
  const timestamp = nowSeconds(options.clock);
  return {
    timestamp,
    entity: options.entity(),
    metrics: { handlers: [...options.handlers], points: points.map((point) => ({ ...point, timestamp })) },
    metadata: {},
    id: options.newId(),
    sequence: 0,
    pipelines: null,
  };
};

/** Rejects if the address is not available. */
export const startStatsd = async (
  options: StatsdOptions,
  open: OpenStatsdListener = defaultListener,
): Promise<StatsdListener> => {
  const { clock, counters, log } = options;
  const aggregate = createStatsdAggregate(clock.monotonicMs());

  const received = (text: string, from: string) => {
    for (const line of splitLines(text)) {
      if (isStatsdEvent(line)) {
        log.info('statsd received an event');
        continue;
      }
      const sample = parseLine(line, from);
      const taken = sample !== null && aggregate.add(sample, clock.monotonicMs());
      if (taken) continue;
      counters.add('statsdBadLines');
      log.debug({ line: line.slice(0, 200) }, sample === null ? 'bad statsd line' : 'too many statsd series');
    }
  };

  const flush = () => {
    const points = aggregate.flush(clock.monotonicMs());
    if (points.length > 0) options.report(metricsEvent(points, options));
  };

  const fault = (error: Error) => log.error({ error: error.message }, 'statsd listener error');
  const listener = await open({ host: options.host, port: options.port, received, fault });
  const cancel = every(clock, options.flushIntervalMs, flush);
  log.info(`starting statsd server on address: ${listener.address}:${listener.port}`);
  return {
    port: listener.port,
    close: () => {
      cancel();
      return listener.close();
    },
  };
};
