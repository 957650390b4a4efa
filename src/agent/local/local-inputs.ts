// The inputs for local programs: HTTP API with its disk queue, TCP and UDP sockets, StatsD. They run regardless of
// the backend connection.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Entity } from '../../model/entity/entity.ts';
import { errorText, type Logger } from '../../program/log.ts';
import type { LocalSockets } from '../../sockets/local-sockets.ts';
import { maxUnackedEvents } from '../../wire/limits.ts';
import { type Clock, nowSeconds } from '../clock.ts';
import type { Counters } from '../counters.ts';
import type { AgentConfig } from '../flags.ts';
import { processMetrics } from '../process-metrics.ts';
import type { DeliveryQueue } from '../queue/delivery-queue.ts';
import { type EventQueue, eventQueuePath, openEventQueue } from '../queue/event-queue.ts';
import { createEventRelay, type EventRelay } from '../queue/event-relay.ts';
import { type StatsdListener, startStatsd } from '../statsd/statsd.ts';
import { type ApiOptions, type HttpApi, startHttpApi } from './http-api.ts';
import { type LocalFacts, prepareEvent } from './local-event.ts';
import { createPostedIds } from './posted-ids.ts';
import { socketEvent } from './socket-event.ts';
import { startSockets } from './sockets.ts';

export interface InputPorts {
  readonly api?: number;
  readonly socket?: number;
  readonly statsd?: number;
}

export interface LocalInputs {
  /** Rejects if the disk queue or the HTTP API is not available; other inputs only log their errors. */
  start(): Promise<void>;
  stop(): Promise<void>;
  ports(): InputPorts;
}

export interface LocalInputOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queue: DeliveryQueue;
  readonly counters: Counters;
  readonly entity: () => Entity;
  readonly isConnected: () => boolean;
  readonly actors: ApiOptions['actors'];
}

/** A configured listener that cannot be opened stops the agent, since data sent to it would be lost silently. */
const listenFailed =
  (what: string, portFlag: string, offFlag: string) =>
  (error: unknown): never => {
    throw new Error(
      `${what}: ${errorText(error)}. Stop what uses the port, choose another with ${portFlag}, or turn it off with ${offFlag}`,
      { cause: error },
    );
  };

export const createLocalInputs = (options: LocalInputOptions): LocalInputs => {
  const { clock, config, counters, log, queue } = options;
  let api: HttpApi | undefined;
  let disk: EventQueue | undefined;
  let relay: EventRelay | undefined;
  let sockets: LocalSockets | undefined;
  let statsd: StatsdListener | undefined;

  const facts = (): LocalFacts => ({
    agentName: config.name,
    namespace: config.namespace,
    entity: options.entity(),
    nowSeconds: nowSeconds(clock),
    newId: randomUUID,
  });

  const startApi = async () => {
    // Without the API there are no new events, but events accepted by an earlier run are still sent.
    if (config.disableApi && !existsSync(eventQueuePath(config.cacheDir))) return;
    const queued = await openEventQueue(config.cacheDir, log);
    disk = queued;
    const relaying = createEventRelay({
      disk: queued,
      queue,
      ratePerSecond: config.eventsRateLimit,
      burst: config.eventsBurstLimit,
      window: maxUnackedEvents,
      clock,
      log,
    });
    relay = relaying;
    relaying.wake();
    if (config.disableApi) return;
    const { apiHost: host, apiPort: port } = config;
    const changesPosted = createPostedIds();
    api = await startHttpApi({
      host,
      port,
      log,
      isConnected: options.isConnected,
      actors: options.actors,
      prepare: (raw) => prepareEvent(raw, facts(), { ownId: changesPosted(raw) }),
      accept: async (event) => {
        await queued.add(event);
        relaying.wake();
      },
      metrics: () => processMetrics() + counters.render(),
    }).catch(listenFailed(`the API cannot listen on ${host}:${port}`, '--api-port', '--disable-api'));
  };

  const startTheSockets = async () => {
    if (config.disableSockets) return;
    const { socketHost: host, socketPort: port } = config;
    sockets = await startSockets({
      host,
      port,
      clock,
      log,
      prepare: (raw) => socketEvent(raw, facts()),
      accept: (event) => queue.enqueue(event),
    }).catch(listenFailed(`sockets cannot listen on ${host}:${port}`, '--socket-port', '--disable-sockets'));
  };

  const startTheStatsd = async () => {
    if (config.statsdDisable) return;
    const { statsdMetricsHost: host, statsdMetricsPort: port } = config;
    statsd = await startStatsd({
      host,
      port,
      flushIntervalMs: config.statsdFlushInterval * 1000,
      handlers: config.statsdEventHandlers,
      clock,
      log,
      counters,
      entity: options.entity,
      newId: randomUUID,
      report: (event) => queue.enqueue(event),
    }).catch(
      listenFailed(`StatsD cannot listen on ${host}:${port}`, '--statsd-metrics-port', '--statsd-disable'),
    );
  };

  const stop = async () => {
    relay?.stop();
    await Promise.all([api?.close(), sockets?.close(), statsd?.close()]);
    await disk?.close();
    relay = undefined;
    api = undefined;
    sockets = undefined;
    statsd = undefined;
    disk = undefined;
  };

  return {
    start: async () => {
      try {
        await startTheStatsd();
        await startApi();
        await startTheSockets();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    ports: () => ({
      ...(api === undefined ? {} : { api: api.address.port }),
      ...(sockets === undefined ? {} : { socket: sockets.port }),
      ...(statsd === undefined ? {} : { statsd: statsd.port }),
    }),
  };
};
