// StatsD listener: takes metric lines by UDP and reports what they add up to, flush by flush (interface section 4.6).
import { createSocket, type RemoteInfo } from 'node:dgram';
import type { Entity } from '../model/entity.ts';
import type { Event } from '../model/event.ts';
import type { Logger } from '../program/log.ts';
import { type Clock, every, nowSeconds } from './clock.ts';
import type { Counters } from './counters.ts';
import { createStatsdAggregate, type Point } from './statsd-aggregate.ts';
import { isStatsdEvent, parseLine, splitLines } from './statsd-lines.ts';

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
  // Seconds, as every timestamp of the interface; the reference product has nanoseconds here.
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

/** Rejects when the address can't be had. */
export const startStatsd = (options: StatsdOptions): Promise<StatsdListener> => {
  const { clock, counters, log } = options;
  const aggregate = createStatsdAggregate(clock.monotonicMs());
  const socket = createSocket(options.host.includes(':') ? 'udp6' : 'udp4');

  const receive = (bytes: Buffer, from: RemoteInfo) => {
    for (const line of splitLines(bytes.toString('utf8'))) {
      if (isStatsdEvent(line)) {
        log.info('statsd received an event');
        continue;
      }
      const sample = parseLine(line, from.address);
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

  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('message', receive);
    socket.bind(options.port, options.host, () => {
      socket.off('error', reject);
      socket.on('error', (error) => log.error({ error: error.message }, 'statsd listener error'));
      const cancel = every(clock, options.flushIntervalMs, flush);
      const { address, port } = socket.address();
      log.info(`starting statsd server on address: ${address}:${port}`);
      resolve({
        port,
        close: () =>
          new Promise((done) => {
            cancel();
            socket.close(() => done());
          }),
      });
    });
  });
};
