// The client of the earlier generation: connects, opens its sockets, sends keepalives, processes check requests,
// runs standalone checks, and shuts down in order.

import { isMap, type Json, mergeMaps } from '../model/earlier/json.ts';
import { pipeOf } from '../model/earlier/pipes.ts';
import { redactClient } from '../model/earlier/redaction.ts';
import { parseGuarded } from '../model/schema/guarded-json.ts';
import { within } from '../model/time/within.ts';
import type { LocalSockets } from '../sockets/local-sockets.ts';
import { keepalivesPipe, type Transport } from '../wire/earlier/transport.ts';
import { type CheckRunner, createCheckRunner } from './check-runner.ts';
import { createCommandSlots } from './command-slots.ts';
import { type HttpSocket, openHttpSocket } from './http-socket.ts';
import {
  defaultSpawnLimit,
  keepaliveIntervalMs,
  lastResultsMs,
  maxRequestBytes,
  maxShownBytes,
  stopGraceMs,
} from './limits.ts';
import { createLocalResults } from './local-result.ts';
import type { ClientLog } from './log.ts';
import { createOutbox } from './outbox.ts';
import { openSockets } from './sockets.ts';
import { scheduleStandalone } from './standalone.ts';
import { seconds, type Timers } from './timers.ts';
import { transportInfo } from './transport-info.ts';

export interface ClientParts {
  /** Validated settings. */
  readonly settings: Json;
  readonly version: string;
  readonly log: ClientLog;
  readonly timers: Timers;
  readonly transport: Transport;
  /** Receives internal errors without another handler. */
  readonly onFault: (error: unknown) => void;
}

export interface Client {
  start(): void;
  /** Resolves when everything was sent and closed. */
  stop(): Promise<void>;
  /** The open ports, for tests. */
  ports(): { readonly socket?: number; readonly http?: number };
}

const map = (value: unknown): Json => (isMap(value) ? value : {});

/** Adds defaults to configured socket scopes, so that keepalives contain the socket addresses. */
const withSocketDefaults = (client: Json): Json => {
  const completed = (scope: unknown, port: number): Json => ({ bind: '127.0.0.1', port, ...map(scope) });
  return {
    ...client,
    ...(isMap(client['socket']) ? { socket: completed(client['socket'], 3030) } : {}),
    ...(isMap(client['http_socket']) ? { http_socket: completed(client['http_socket'], 3031) } : {}),
  };
};

/**
 * The result that a client sends to deregister. Its configuration may add any attribute except name, output, status
 * and times.
 */
export const deregistrationResult = (client: Json, nowSeconds: number): Json => ({
  ...mergeMaps({ handler: 'deregistration' }, map(client['deregistration'])),
  name: 'deregistration',
  output: 'client initiated deregistration',
  status: 1,
  issued: nowSeconds,
  executed: nowSeconds,
});

/** A check request; undefined, with a log line, for anything else. */
const readRequest = (bytes: Buffer, log: ClientLog): Json | undefined => {
  const parsed = parseGuarded(bytes, { maxBytes: maxRequestBytes });
  const message = bytes.toString('utf8', 0, maxShownBytes);
  if (!parsed.ok) {
    log.error('failed to parse the check request payload', { message, error: parsed.message });
    return undefined;
  }
  const request = parsed.value;
  if (isMap(request) && typeof request['name'] === 'string') return request;
  log.error('check request has no check name', { message });
  return undefined;
};

/** Opens the sockets that local programs send results to, except those that are disabled. */
const openLocalInputs = async (
  { log, timers, transport, version }: ClientParts,
  settings: Json,
  publish: (check: Json) => void,
): Promise<{ readonly sockets: LocalSockets | undefined; readonly http: HttpSocket | undefined }> => {
  const client = map(settings['client']);
  const results = createLocalResults(publish, timers);
  const socket = map(client['socket']);
  const httpSocket = map(client['http_socket']);
  const at = (scope: Json, port: number) => ({
    bind: typeof scope['bind'] === 'string' ? scope['bind'] : '127.0.0.1',
    port: typeof scope['port'] === 'number' ? scope['port'] : port,
  });
  let sockets: LocalSockets | undefined;
  let http: HttpSocket | undefined;
  if (socket['enabled'] === false) log.info('client tcp/udp socket disabled per configuration');
  else sockets = await openSockets({ ...at(socket, 3030), results, log, timers });
  if (httpSocket['enabled'] === false) log.info('client http socket disabled per configuration');
  else
    http = await openHttpSocket({
      ...at(httpSocket, 3031),
      results,
      log,
      version,
      settings: () => settings,
      transportInfo: () => transportInfo(transport),
    });
  return { sockets, http };
};

/** Resolves when no check runs any more, or at `end` of the process clock. */
const finishChecks = async (runner: Pick<CheckRunner, 'inProgress'>, end: number): Promise<void> => {
  while (runner.inProgress > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
};

export const createClient = (parts: ClientParts): Client => {
  const { version, log, timers, transport, onFault } = parts;
  const client = withSocketDefaults(map(parts.settings['client']));
  const settings: Json = { ...parts.settings, client };
  const name = String(client['name']);
  const funnel = `${name}-${version}-${seconds(timers)}`;
  const outbox = createOutbox(transport, log, timers);
  const spawnLimit = map(map(settings['sensu'])['spawn'])['limit'];
  const slots = createCommandSlots(typeof spawnLimit === 'number' ? spawnLimit : defaultSpawnLimit);
  const signature = typeof client['signature'] === 'string' ? { signature: client['signature'] } : {};
  let sockets: LocalSockets | undefined;
  let http: HttpSocket | undefined;
  let cancels: (() => void)[] = [];
  let wasUp = false;
  let stopping = false;
  let opening: Promise<void> | undefined;
  /** The setup after the latest connect; settles when it ends, however it ends. */
  let bootstrapped: Promise<void> = Promise.resolve();
  /** Counts connections; callbacks of older connections are ignored. */
  let connection = 0;

  const publishResult = (check: Json): void => {
    const payload = { client: name, check };
    // The signature is for the server and must not appear in logs.
    log.info('publishing check result', { payload });
    outbox.send({ ...payload, ...signature });
  };
  const runner = createCheckRunner({
    client,
    checks: map(settings['checks']),
    slots,
    timers,
    log,
    publish: publishResult,
  });
  const run = (request: Json): void => void runner.process(request).catch(onFault);

  const publishKeepalive = (): void => {
    const payload = redactClient({ ...client, version, timestamp: seconds(timers) });
    log.debug('publishing keepalive', { payload });
    transport
      .publish(keepalivesPipe, JSON.stringify(payload))
      .catch((error: Error) => log.error('failed to publish keepalive', { payload, error: error.message }));
  };

  const takeRequest = (bytes: Buffer): void => {
    const request = readRequest(bytes, log);
    if (request === undefined) return;
    log.info('received check request', { check: request });
    run(request);
  };

  const subscribe = async (): Promise<void> => {
    for (const subscription of client['subscriptions'] as readonly string[]) {
      if (stopping) return;
      const pipe = pipeOf(subscription);
      log.debug('subscribing to a subscription', { subscription });
      await transport.subscribe(pipe, pipe.type === 'direct' ? pipe.name : funnel, takeRequest);
    }
  };

  const pause = (): void => {
    for (const cancel of cancels) cancel();
    cancels = [];
  };

  const bootstrap = async (isCurrent: () => boolean): Promise<void> => {
    opening ??= openLocalInputs(parts, settings, publishResult).then((open) => {
      ({ sockets, http } = open);
    });
    await opening;
    if (!isCurrent()) return;
    pause();
    publishKeepalive();
    cancels.push(timers.every(keepaliveIntervalMs, publishKeepalive));
    wasUp = true;
    outbox.flush();
    await subscribe();
    if (!isCurrent()) return;
    cancels.push(scheduleStandalone({ clientName: name, checks: map(settings['checks']), timers, log, run }));
  };

  return {
    start: () => {
      log.debug('connecting to transport', { name: transport.name });
      transport.open({
        connected: () => {
          log.info('connected to transport', { name: transport.name });
          connection += 1;
          const mine = connection;
          bootstrapped = bootstrap(() => mine === connection && !stopping && transport.isConnected()).catch(
            (error: Error) => {
              // A lost connection is reported elsewhere; sockets that cannot be opened are fatal.
              if (mine === connection && transport.isConnected() && !stopping) onFault(error);
            },
          );
        },
        lost: (reason) => {
          log.warn('transport connection lost', { name: transport.name, reason });
          pause();
        },
        failed: (reason) => log.warn('transport connection error', { name: transport.name, reason }),
      });
    },
    stop: async () => {
      if (stopping) return;
      stopping = true;
      log.warn('stopping');
      pause();
      // Subscribing to a queue that was just given up makes a broker close the channel, and the deregistration would be lost.
      const end = performance.now() + stopGraceMs;
      await within(bootstrapped, stopGraceMs, () => undefined);
      // A broker that takes nothing for now answers nothing either.
      if (transport.isConnected())
        await within(transport.unsubscribe().catch(onFault), end - performance.now(), () => undefined);
      if (client['deregister'] === true && wasUp)
        publishResult(deregistrationResult(client, seconds(timers)));
      await finishChecks(runner, end);
      slots.killAll();
      await within(outbox.settled(), lastResultsMs, () => undefined);
      outbox.close();
      if (outbox.held > 0) log.error('check results were not sent', { held: outbox.held });
      await Promise.all([sockets?.close(), http?.close()]);
      await transport.close();
    },
    ports: () => ({
      ...(sockets === undefined ? {} : { socket: sockets.port }),
      ...(http === undefined ? {} : { http: http.port }),
    }),
  };
};
