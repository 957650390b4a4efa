// Composes the agent. A connection opens sessions; a session runs checks and sends queued events. Results, local
// inputs and keepalives share one connection.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { AssetStore } from '../assets/asset-store.ts';
import { createAssetStore } from '../assets/asset-store.ts';
import { emptySystem } from '../model/entity/entity.ts';
import { substituteCommand, tokenData } from '../model/template/token-substitution.ts';
import { readAuthorities } from '../program/authorities.ts';
import { component, errorText, type Logger } from '../program/log.ts';
import { keepPrivate } from '../program/private-files.ts';
import { readTextFile } from '../program/resolve.ts';
import { readSystemFacts } from '../program/system-facts.ts';
import { createAgentEntity } from './agent-entity.ts';
import { loadAllowList } from './checks/allow-list.ts';
import { type CheckRunner, createCheckRunner } from './checks/check-runner.ts';
import { execute } from './checks/executor.ts';
import { ownEnvironment } from './checks/own-environment.ts';
import { type Cancel, type Clock, every, nowSeconds, realClock, wait } from './clock.ts';
import { type Connection, type ConnectionState, createConnection } from './connection/connection.ts';
import { createDial, type Dial } from './connection/dial.ts';
import { keepalivePipelines } from './connection/keepalive.ts';
import { openSession, type Session } from './connection/session.ts';
import { createCounters } from './counters.ts';
import type { AgentConfig } from './flags.ts';
import { assetPurgeIntervalMs, lastAcksWaitMs, systemFactsRefreshMs } from './limits.ts';
import { createLocalInputs, type InputPorts } from './local/local-inputs.ts';
import { createDeliveryQueue } from './queue/delivery-queue.ts';
import { isOfCache } from './queue/event-queue.ts';
import { createSupervision, type Supervision } from './supervision.ts';

export interface AgentDependencies {
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly dial?: Dial;
  /** Called when the agent's actors failed too often. Default: an uncaught exception, which ends the program. */
  readonly failed?: (error: Error) => void;
}

export interface Agent {
  /** Rejects if the agent cannot start. An unreachable backend does not cause a rejection. */
  start(): Promise<void>;
  /** Sends a close frame, stops commands and closes listeners; takes about a second at most. */
  stop(): Promise<void>;
  connection(): ConnectionState;
  /** The ports of the local inputs; disabled ones are absent. */
  ports(): InputPorts;
  /** The agent's actors, with their states and restarts. */
  actors: Supervision['actors'];
  /** One actor with its snapshot; undefined if there is none. */
  actor: Supervision['actor'];
}

/** Asset hosts may use certificates of the agent's own authorities. */
const assetStoreOf = (config: AgentConfig, clock: Clock, log: Logger): AssetStore =>
  createAssetStore({
    cacheDir: join(config.cacheDir, 'assets'),
    ratePerSecond: config.assetsRateLimit,
    burst: config.assetsBurstLimit,
    ...(config.trustedCaFile === ''
      ? {}
      : { authorities: () => [...rootCertificates, readAuthorities(config.trustedCaFile)] }),
    clock,
    log,
  });

const factsOf = (config: AgentConfig, log: Logger) => {
  try {
    return readSystemFacts(config);
  } catch (error) {
    log.error({ error: errorText(error) }, 'error getting system info');
    return emptySystem();
  }
};

const purgeUnused = (assets: AssetStore, { assetsKeepUnused }: AgentConfig, log: Logger): void => {
  assets
    .purge(assetsKeepUnused)
    .catch((error) => log.warn({ error: errorText(error) }, 'unable to clean up the asset cache'));
};

/** Numbers the events of each check, from 1 on each connection. */
const createSequences = () => {
  const last = new Map<string, number>();
  return {
    next: (check: string): number => {
      const next = (last.get(check) ?? 0) + 1;
      last.set(check, next);
      return next;
    },
    clear: () => last.clear(),
  };
};

/** Throws SettingsError if a configured file is unusable. */
export const createAgent = (config: AgentConfig, dependencies: AgentDependencies): Agent => {
  const { clock = realClock, random = Math.random, dial = createDial(config) } = dependencies;
  const log = component(dependencies.log, 'agent');
  const counters = createCounters();
  const readFacts = () => factsOf(config, log);
  const entity = createAgentEntity(config, readFacts());
  const { failed } = dependencies;
  const supervision = createSupervision({ clock, log, random, ...(failed === undefined ? {} : { failed }) });
  const queue = createDeliveryQueue(supervision, log);
  const sequences = createSequences();
  const assets = config.disableAssets
    ? null
    : assetStoreOf(config, clock, component(dependencies.log, 'asset-manager'));

  const runner: CheckRunner = createCheckRunner({
    agentName: config.name,
    namespace: config.namespace,
    entity: () => entity.current(nowSeconds(clock)),
    nextSequence: sequences.next,
    newId: randomUUID,
    report: (event) => queue.enqueue(event),
    assets,
    supervision,
    stages: {
      substitute: (definition, about) =>
        substituteCommand(definition, tokenData(about), entity.trust(about.last_seen)),
      allowList: loadAllowList(config.allowList, readTextFile),
    },
    tools: { clock, log, execute, environment: ownEnvironment() },
  });

  let session: Session | undefined;
  const connection: Connection = createConnection(
    {
      urls: config.backendUrl,
      retry: { minMs: config.retryMin, maxMs: config.retryMax, multiplier: config.retryMultiplier },
      heartbeatIntervalMs: config.backendHeartbeatInterval * 1000,
      heartbeatTimeoutMs: config.backendHeartbeatTimeout * 1000,
      maxSessionMs: config.maxSessionLength,
      dial,
      clock,
      random,
      log,
      supervision,
    },
    {
      connected: (line) => {
        counters.add('newConnections');
        sequences.clear();
        entity.forget();
        session = openSession(line, {
          config,
          clock,
          log,
          entity,
          queue,
          counters,
          nextSequence: sequences.next,
          newId: randomUUID,
          runCheck: (payload) => runner.request(payload),
          drop: (why) => connection.drop(why),
        });
      },
      frame: (frame) => session?.frame(frame),
      disconnected: () => {
        session?.end();
        session = undefined;
      },
    },
  );

  const timers: Cancel[] = [];
  const inputs = createLocalInputs({
    config,
    clock,
    log,
    queue,
    counters,
    entity: () => entity.current(nowSeconds(clock)),
    isConnected: () => connection.state() === 'connected',
    actors: supervision.actors,
  });

  /** Unacknowledged events would be sent again after a restart, so wait briefly for the last acknowledgements. */
  const quiet = async () => {
    if (connection.state() === 'connected') await new Promise<void>((resolve) => queue.whenQuiet(resolve));
  };

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    for (const cancel of timers) cancel();
    runner.stop();
    await Promise.race([quiet(), wait(clock, lastAcksWaitMs)]);
    await Promise.all([connection.stop(), inputs.stop()]);
    await supervision.stop();
    log.info('agent stopped');
  };

  return {
    start: async () => {
      for (const bad of keepalivePipelines(config.keepalivePipelines).bad)
        log.warn({ pipeline: bad }, 'keepalive pipeline ignored: write core/v2.Pipeline.<name>');
      log.info('configuration successfully validated');
      keepPrivate(config.cacheDir, isOfCache, log);
      log.info(config.certFile === '' ? 'using password auth' : 'using tls client auth');
      await inputs.start();
      timers.push(every(clock, systemFactsRefreshMs, () => entity.setSystem(readFacts())));
      if (assets !== null && config.assetsKeepUnused > 0) {
        const purge = () => purgeUnused(assets, config, log);
        purge();
        timers.push(every(clock, assetPurgeIntervalMs, purge));
      }
      connection.start();
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
    connection: () => connection.state(),
    ports: () => inputs.ports(),
    actors: supervision.actors,
    actor: supervision.actor,
  };
};
