// `mon-backend start`: composes the backend on its store, opens the listeners last, and shuts down in reverse
// order.
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Backend } from '../actors/backend.ts';
import { keptLicenseFault } from '../actors/resources/licensed-limit.ts';
import { realClock } from '../actors/runtime/time/clock.ts';
import { type Api, createApi } from '../http/api.ts';
import { createHashingQueue } from '../http/auth/hashing-queue.ts';
import { inspectionDocs } from '../http/inspect/route-docs.ts';
import { jobRefusal } from '../http/job-rights.ts';
import type { SilencingLimits } from '../http/routes/silenced.ts';
import { registerHandbook, registerUi } from '../http/static-ui.ts';
import { readLicenseKey } from '../model/resource/license.ts';
import { component, createLog, type Logger, type LogLevel } from '../program/log.ts';
import { stepLevelOnSignal } from '../program/log-level-signal.ts';
import { packagedFolder } from '../program/packaged.ts';
import { stopWithParent } from '../program/parent-watch.ts';
import { keepPrivate } from '../program/private-files.ts';
import { SettingsError } from '../program/resolve.ts';
import { openServiceManager } from '../program/service-manager.ts';
import { version } from '../program/version.ts';
import { exportable } from '../store/backup/consistent-export.ts';
import { storeFormat } from '../store/format-marker.ts';
import type { MaintainedStore } from '../store/maintained-store.ts';
import { openMemberStore } from '../store/open-store.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { openBackendAssets } from './backend-assets.ts';
import type { BackendSettings } from './backend-flags.ts';
import { showBackendMetrics, showProcessMetrics } from './backend-metrics.ts';
import { readTls, renewOnHangUp } from './backend-tls.ts';
import { warnOfBuiltInPassword } from './built-in-password.ts';
import { clusterPort, showClusterMetrics } from './cluster/cluster-port.ts';
import { type ClusterSettings, clusterSettings } from './cluster/cluster-settings.ts';
import { joinCluster, type Membership } from './cluster/join-cluster.ts';
import { type EarlierGeneration, serveEarlierGeneration } from './earlier-generation.ts';
import { encryptionKeyName, encryptionKeyPath, encryptionKeys } from './encryption-keys.ts';
import { collapseExitCode, endWithoutStore } from './exit-codes.ts';
import { firstUser, passwordFile } from './first-user.ts';
import {
  type ListenAddress,
  localUrl,
  parseListenAddress,
  parsePublicUrl,
  plainHost,
} from './listen-address.ts';
import { addLiveInspection, openEventList } from './live-inspection.ts';
import { controlName } from './maintenance/control-path.ts';
import type { Control } from './maintenance/control-server.ts';
import { serveControl } from './maintenance/serve-control.ts';
import { guardProcess } from './process-guard.ts';
import { shutDown } from './shutdown.ts';
import { advertised, openStoreOrStandBy, type StandbyOptions } from './standby.ts';
import type { Telemetry } from './telemetry/open-telemetry.ts';
import { startTelemetry } from './telemetry/settings.ts';
import { createTrust, type Trust } from './trust.ts';

const webRoot = fileURLToPath(new URL('../../../web/dist', import.meta.url));
const handbookRoot = fileURLToPath(new URL('../../../web/handbook', import.meta.url));

/** The names used in the state directory and in the cache directory. */
const isOfStateDir = (name: string): boolean =>
  ['store', 'cache', passwordFile, encryptionKeyName, controlName].includes(name);
const isOfCacheDir = (name: string): boolean => name === 'assets';

/** How long handing over the shards may take at the end. */
const drainTimeoutMs = 15_000;

interface Running {
  readonly store: SnapshotStore;
  readonly backend: Backend;
  readonly api: Api;
  readonly earlier: EarlierGeneration;
  readonly control: Control | undefined;
  readonly telemetry: Telemetry | undefined;
  /** Undefined for a backend that serves alone. */
  readonly membership: Membership | undefined;
}

/** The key that verifies licenses; undefined if none is configured. */
const readKey = (file: string): KeyObject | undefined => {
  if (file === '') return undefined;
  try {
    return readLicenseKey(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SettingsError(`--license-public-key-file ${file}: ${(error as Error).message}`);
  }
};

interface Process {
  readonly trust: Trust;
  readonly log: Logger;
  /** Aborted when the program is told to stop. */
  readonly stop: AbortSignal;
  readonly onStandby: () => void;
}

const addressesOf = (
  settings: BackendSettings,
  { http, agents }: Awaited<ReturnType<Api['listen']>>,
  { isSecure, earlierPort }: { readonly isSecure: boolean; readonly earlierPort: number | undefined },
): Readonly<Record<string, string>> => {
  const secure = isSecure ? 's' : '';
  return {
    api: localUrl(`http${secure}`, http),
    agents: localUrl(`ws${secure}`, agents),
    ...(earlierPort === undefined ? {} : { earlierApi: `${settings.earlierApiHost}:${earlierPort}` }),
  };
};

const keepFoldersPrivate = (settings: BackendSettings, log: Logger): void => {
  keepPrivate(settings.stateDir, isOfStateDir, log);
  keepPrivate(settings.cacheDir, isOfCacheDir, log);
};

const adviseUpgrade = ({ migrated }: { readonly migrated: number }, log: Logger): void => {
  if (migrated < storeFormat)
    log.warn(
      { format: migrated, newFormat: storeFormat },
      'the store holds records of an older format, which are read as before: run `mon-backend upgrade` when it suits you',
    );
};

const silencingLimits = (settings: BackendSettings): SilencingLimits => ({
  defaultExpireSeconds: Math.ceil(settings.defaultSilencedExpiryTime / 1_000),
  maxExpireSeconds: Math.floor(settings.maxSilencedExpiryTimeAllowed / 1_000),
});

const endCollapsed = (log: Logger): never => {
  log.fatal('the supervision tree failed; exiting so that the service manager restarts the backend');
  process.exit(collapseExitCode);
};

const lifetimesOf = (settings: BackendSettings) => ({
  accessSeconds: Math.ceil(settings.accessTokenExpiry / 1_000),
  refreshSeconds: Math.ceil(settings.refreshTokenExpiry / 1_000),
});

const listenersOf = (
  settings: BackendSettings,
  http: ListenAddress & { readonly origin?: string },
  tls: ReturnType<typeof readTls>,
) => ({
  http: {
    ...http,
    ...(tls.api === undefined ? {} : { tls: tls.api }),
  },
  agents: {
    host: plainHost(settings.agentHost),
    port: settings.agentPort,
    limits: {
      connectionsPerSecond: settings.agentRateLimit,
      connectionBurst: settings.agentBurstLimit,
      writeTimeoutMs: settings.agentWriteTimeout * 1_000,
      maxNewEntities: settings.maxNewEntitiesPerSession,
    },
    ...(tls.agents === undefined ? {} : { tls: tls.agents }),
  },
});

/** Shared with the others of a cluster, or for this backend alone: then it waits while another one serves. */
const openStoreFor = async (
  settings: BackendSettings,
  cluster: ClusterSettings | undefined,
  { authorities }: Trust,
  { log, ...standby }: Omit<StandbyOptions, 'settings'>,
): Promise<{ readonly opened: MaintainedStore; readonly membership: Membership | undefined }> => {
  const location = { url: settings.storeUrl, stateDir: settings.stateDir, authorities };
  if (cluster === undefined) {
    const onOwnershipLost = (error: Error) => endWithoutStore(error, log);
    const own = { ...location, onOwnershipLost };
    return {
      opened: await openStoreOrStandBy(own, { settings, log, ...standby }),
      membership: undefined,
    };
  }
  const opened = await openMemberStore(location);
  try {
    const membership = await joinCluster({
      ...{ store: opened, settings: cluster, version, log },
      api: advertised(settings, standby.tls !== undefined),
      onLost: (error) => endWithoutStore(error, log),
    });
    return { opened, membership };
  } catch (error) {
    await opened.close();
    throw error;
  }
};

const showMetrics = ({ metrics }: Api, backend: Backend, membership: Membership | undefined): void => {
  showBackendMetrics(metrics, backend);
  showProcessMetrics(metrics, version);
  if (membership !== undefined) showClusterMetrics(metrics, membership);
};

const run = async (settings: BackendSettings, { trust, log, stop, onStandby }: Process): Promise<Running> => {
  const listen = parseListenAddress('--api-listen-address', settings.apiListenAddress);
  const origin = parsePublicUrl('--api-url', settings.apiUrl);
  let tls = readTls(settings);
  const { authorities } = trust;
  const licenseKey = readKey(settings.licensePublicKeyFile);
  const cluster = clusterSettings(settings, process.env);
  const name = cluster?.name ?? hostname();
  const telemetry = await startTelemetry(settings, { backend: name, version, authorities, log });
  keepFoldersPrivate(settings, log);
  const { opened, membership } = await openStoreFor(settings, cluster, trust, {
    tls: tls.api,
    renew: () => {
      const renewed = readTls(settings);
      if (settings.trustedCaFile !== '') trust.renew();
      tls = renewed;
      return tls.api;
    },
    ...{ stop, onWaiting: onStandby, log },
  });
  const exports = exportable(opened);
  const { store } = exports;
  const { backend, rebuilt } = await Backend.open({
    store,
    ...membership?.ofBackend(),
    encryptionKeys: encryptionKeys(encryptionKeyPath(settings), log),
    log: component(log, 'backend'),
    name,
    entityLimit: settings.entityLimit,
    entityBounds: { maxChecks: settings.maxChecksPerEntity, maxBytes: settings.maxEntityBytes },
    licenseKey,
    deregistrationHandler: settings.deregistrationHandler,
    deliveryWorkers: settings.pipelinedWorkers,
    env: process.env,
    assets: openBackendAssets(settings, authorities, name, log),
    authorities,
    spans: telemetry?.events,
    refusal: (by, question) => jobRefusal(backend.resources, by, question),
    onCollapse: () => endCollapsed(log),
  });
  const unlicensed = keptLicenseFault(backend.resources, licenseKey, Date.now());
  if (unlicensed !== null) log.warn({ why: unlicensed }, 'stored license is invalid');
  const hashing = createHashingQueue();
  await firstUser({ settings, table: backend.resources, hashing, log });
  const eventList = openEventList(backend);
  const silencing = silencingLimits(settings);
  const api = await createApi({
    logins: backend,
    backend,
    routes: eventList.routes,
    described: inspectionDocs,
    log: component(log, 'api'),
    clock: realClock,
    version,
    backendId: name,
    hashing,
    licenseKey,
    cluster: membership && clusterPort(membership),
    authorities,
    lifetimes: lifetimesOf(settings),
    bodyLimitBytes: settings.apiRequestLimit,
    silencing,
    spans: telemetry?.requests,
    ...listenersOf(settings, { ...listen, ...(origin === undefined ? {} : { origin }) }, tls),
  });
  showMetrics(api, backend, membership);
  addLiveInspection({ backend, api, log, eventList, allowControl: settings.inspectControl });
  registerUi(api.server.app, { root: packagedFolder('web') ?? webRoot });
  registerHandbook(api.server.app, { root: packagedFolder('handbook') ?? handbookRoot });
  await backend.serve();
  membership?.serve(backend, api);
  const address = await api.listen();
  const earlier = await serveEarlierGeneration({
    settings,
    backend,
    authenticator: api.authenticator,
    tls: tls.api,
    silencing,
    metrics: api.metrics,
    log,
  });
  await warnOfBuiltInPassword({
    table: backend.resources,
    hashing,
    log: component(log, 'backend'),
    hosts: [
      address.http.address,
      address.agents.address,
      ...(earlier.port === undefined ? [] : [plainHost(settings.earlierApiHost)]),
    ],
    api: localUrl(tls.api === undefined ? 'http' : 'https', address.http),
  });
  // What its commands do needs a backend that writes alone.
  const control =
    membership === undefined
      ? await serveControl({
          ...{ settings, exports, authorities, store: opened, committer: backend.committer },
          log: component(log, 'control'),
        })
      : undefined;
  adviseUpgrade(opened.marker, log);
  const addresses = addressesOf(settings, address, {
    isSecure: tls.api !== undefined,
    earlierPort: earlier.port,
  });
  log.warn(
    { component: 'backend', ...addresses, store: store.name, ...rebuilt, version },
    'backend is running and ready to accept events',
  );
  return { store, backend, api, earlier, control, telemetry, membership };
};

/** While the store is away nothing can be handed over: then the others take the shards when this backend is gone. */
const drainWithin = async (membership: Membership, log: Logger): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, drainTimeoutMs, 'late');
  });
  const outcome = await Promise.race([membership.drain(), late]);
  clearTimeout(timer);
  if (outcome === 'late')
    log.warn('the shards could not be handed over in time; the others take them within 10 s');
};

/** Listeners first, so that no acknowledged event is lost; then the actors, then the store. Nothing waits for the collector of traces. */
const stop = (
  { store, backend, api, earlier, control, telemetry, membership }: Running,
  log: Logger,
): Promise<boolean> =>
  shutDown(
    [
      // First of all, while its agents are still served through the others.
      ['shards', async () => membership && drainWithin(membership, log)],
      ['control socket', async () => control?.close()],
      ['listeners of the earlier generation', () => earlier.close()],
      ['edges', () => api.close()],
      ['actors', () => backend.stop()],
      ['membership', async () => membership?.close()],
      ['store', () => store.close()],
      ['traces', async () => telemetry?.close()],
    ],
    log,
  );

/** Runs until a signal. Resolves to the exit code. */
export const startBackend = async (settings: BackendSettings): Promise<number> => {
  const log = createLog(settings.logLevel as LogLevel);
  stepLevelOnSignal(log, log);
  const stopping = new AbortController();
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  void signal.then((name) => stopping.abort(name));
  stopWithParent();
  const manager = openServiceManager(process.env, log);
  const trust = createTrust(settings.trustedCaFile);
  const running = await run(settings, {
    trust,
    log,
    stop: stopping.signal,
    // A standby does its job: the service manager must not wait until it serves.
    onStandby: () => manager.ready(),
  }).catch((error: unknown) => {
    if (error !== stopping.signal.reason) throw error;
    return undefined;
  });
  if (running === undefined) {
    log.warn({ signal: await signal }, 'stopped on standby');
    return 0;
  }
  renewOnHangUp(settings, trust, running, log);
  guardProcess({ log, flush: () => running.backend.committer.flush() });
  manager.ready();
  log.warn({ signal: await signal }, 'stopping');
  manager.stopping();
  process.once('SIGINT', () => process.exit(130));
  return (await stop(running, log)) ? 0 : 1;
};
