// How the actor world is put together: the parts, and who may call whom. Each part is handed just the calls it makes, so
// this file is the map of the backend.
//
//   backend (rest_for_one)
//   |- boot:backend  where this backend stands
//   |- circuits      one actor a handler that failed lately
//   |- silences      one actor a silence
//   |- entities      64 partitions -> one supervisor an entity -> the entity and its checks
//   |- clients       one actor a client of the earlier generation
//   |- schedules     one actor a check definition
//   `- sessions      one actor an agent connection
//
// Beside the tree, on a timer of its own: the watchdog over the schedules.
import { randomUUID } from 'node:crypto';
import type { CheckContext } from '../machines/check-facts.ts';
import type { EntityFact } from '../machines/entity-facts.ts';
import type { Entity } from '../model/entity.ts';
import type { CheckEvent, Event } from '../model/event.ts';
import { defaultNamespace, entityKey, keepaliveCheckName } from '../model/names.ts';
import type { TrustedAuthorities } from '../model/trusted-authorities.ts';
import { noAssets } from '../pipeline/ports.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import { bootSpec } from './boot-behaviour.ts';
import { Clients, clientRegistryVersion, clientsId } from './clients/clients.ts';
import { setAsideIn } from './commit/durable-origin.ts';
import type { GroupCommit } from './commit/group-commit.ts';
import { Configuration } from './configuration.ts';
import { checkId, EntityTree, partitionSpecs } from './entities/entity-tree.ts';
import { eventIn } from './events/event-in-record.ts';
import { EventIndex } from './events/event-index.ts';
import { Ingest } from './ingest.ts';
import { circuitsId, createCircuits } from './pipelines/circuits.ts';
import { createPipelines, type Pipelines, type PipelinesWorld } from './pipelines/pipelines.ts';
import { createRuntimeAssets, type RuntimeAssetsWorld } from './pipelines/runtime-assets.ts';
import { logTrace } from './pipelines/trace-log.ts';
import { createPlatformReporter, platformNamespace, watchdogFinding } from './platform-events.ts';
import { ReadModel } from './read-model.ts';
import type { ResourceTable } from './resources/resource-table.ts';
import type { ActorMessage, SupervisorSpec } from './runtime/contract.ts';
import { logFact } from './runtime/fact-log.ts';
import type { RuntimeLog } from './runtime/facts.ts';
import { maxWaitingDeliveries } from './runtime/limits.ts';
import { Pressure } from './runtime/pressure.ts';
import { reportReceipt } from './runtime/receipts.ts';
import { createSupervisor, type Runtime } from './runtime/runtime.ts';
import { contextOf } from './runtime/snapshot.ts';
import type { Supervisor } from './runtime/supervisor.ts';
import { ProxyMatcher } from './schedules/proxy-matcher.ts';
import { Requests } from './schedules/requests.ts';
import { Schedules, schedulesId } from './schedules/schedules.ts';
import { Turns } from './schedules/turns.ts';
import { sessionSpec } from './sessions/session-behaviour.ts';
import { Sessions } from './sessions/sessions.ts';
import { Silences, silencesId } from './silences/silences.ts';
import { Watchdog } from './watchdog.ts';

export interface BackendLog extends RuntimeLog {
  debug(fields: object, text: string): void;
}

export interface Foundations {
  readonly runtime: Runtime;
  readonly commit: GroupCommit;
  readonly table: ResourceTable;
  readonly log: BackendLog;
  readonly deliveryWorkers: number;
  /** What pipe handlers and mutators start from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where runtime assets are kept, and what they are chosen for. Absent: definitions that name some can't run. */
  readonly assets?: Pick<RuntimeAssetsWorld, 'store' | 'entity'>;
  /** Whom to trust when fetching secrets; absent: whom the runtime trusts. */
  readonly authorities?: TrustedAuthorities;
  /** In place of the pipelines; see BackendOptions. */
  readonly runPipelines?: PipelinesWorld['run'];
  /** Name of this backend among its peers. */
  readonly name: string;
  /** The tree gave up. */
  readonly onCollapse: () => void;
  /** Whether one more entity may come to be. */
  readonly admitsEntity: (namespace: string, name: string) => boolean;
  /** An entity asked to be removed when it fell silent. */
  readonly deregister: (namespace: string, name: string) => Promise<void>;
  /** A client of the earlier generation, with all that is known of it. */
  readonly deleteClient: (name: string) => Promise<unknown>;
}

export interface Parts {
  readonly root: Supervisor;
  readonly tree: EntityTree;
  readonly ingest: Ingest;
  readonly reader: ReadModel;
  /** The events, in the orders that lists come in. */
  readonly events: EventIndex;
  readonly pipelines: Pipelines;
  readonly configuration: Configuration;
  readonly requests: Requests;
  readonly turns: Turns;
  readonly schedules: Schedules;
  readonly sessions: Sessions;
  readonly silences: Silences;
  readonly clients: Clients;
  readonly watchdog: Watchdog;
  readonly secrets: Secrets;
  readonly pressure: Pressure;
  /** Keys of the entities that are registered: those that count. */
  readonly registered: ReadonlySet<string>;
}

const unrelated = (id: string): SupervisorSpec => ({
  id,
  strategy: 'one_for_one',
  whenFailing: 'quarantine',
});

const rootSpec = (nowMs: number): SupervisorSpec => ({
  id: 'backend',
  strategy: 'rest_for_one',
  children: [
    bootSpec(nowMs),
    unrelated(circuitsId),
    unrelated(silencesId),
    { id: 'entities', strategy: 'one_for_one', children: partitionSpecs() },
    unrelated(clientsId),
    unrelated(schedulesId),
    unrelated('sessions'),
  ],
});

export const compose = (foundations: Foundations): Parts => {
  const { runtime, commit, table, log } = foundations;
  const { registry, faults } = runtime;
  const nowMs = (): number => runtime.clock.wallMs();
  const root = createSupervisor(runtime, rootSpec(nowMs()), {
    onExit: (reason) => reason.type === 'abnormal' && foundations.onCollapse(),
  });
  const configuration = new Configuration(table);
  const silences: Silences = new Silences(runtime, table, (namespace) => events.silencesChanged(namespace));
  const silencesMatching = (event: Event, nowSeconds: number) => silences.matching(event, nowSeconds);
  const events = new EventIndex({
    nowMs,
    silencesMatching,
    onFault: (error) => faults.report('marking silenced events', error),
  });
  commit.follow('check', (key, record) => events.learn(key, eventIn(record)));
  const registered = new Set<string>();

  const secrets = createSecrets(
    table,
    foundations.env,
    () => runtime.clock.monotonicMs(),
    foundations.authorities,
  );
  const pipelines = createPipelines({
    lookup: configuration,
    resolveSecrets: secrets.resolve,
    gate: createCircuits(runtime),
    loadAssets:
      foundations.assets === undefined
        ? noAssets
        : createRuntimeAssets({
            ...foundations.assets,
            definition: (namespace, name) => configuration.asset(namespace, name),
            env: foundations.env,
          }),
    env: foundations.env,
    nowMs,
    after: (delayMs, fire) => void runtime.deadlines.after(delayMs, fire),
    workers: foundations.deliveryWorkers,
    run: foundations.runPipelines,
    onTrace: (event, trace) => logTrace(log, event, trace),
    onFault: (error) => faults.report('a delivery', error),
  });
  const announce = (event: Event): void => pipelines.deliveries.submit(event);

  const setAside = setAsideIn(commit, (kind, key, error) =>
    log.error(
      { kind, key, err: error },
      'a record cannot be restored: it is set aside and its actor begins anew',
    ),
  );

  const tree: EntityTree = new EntityTree({
    registry,
    supervisor: (id) => runtime.supervisor(id),
    entityWorld: {
      commit,
      setAside,
      nowMs,
      newId: randomUUID,
      publish: (event, receipt) => ingest.publishKeepalive(event, receipt),
      announce: (source, event) =>
        pipelines.deliveries.submit(event, () => {
          const announced: EntityFact = { type: 'registration.announced', nowMs: nowMs() };
          registry.tell(
            source.id,
            announced,
            reportReceipt((error) => faults.report(`noting the registration of ${source.id}`, error)),
          );
        }),
      configChanged: (config) => sessions.configure(config),
      deregister: (namespace, name) => {
        foundations
          .deregister(namespace, name)
          .catch((error) => faults.report(`deregistering ${namespace}/${name}`, error));
      },
      onRegistered: (namespace, name) => {
        // The platform's own entities are not what anybody pays for.
        if (namespace !== platformNamespace) registered.add(entityKey(namespace, name));
      },
      onForgotten: (namespace, name) => registered.delete(entityKey(namespace, name)),
    },
    checkWorld: {
      commit,
      setAside,
      nowMs,
      deliver: (source, { seq, event }) =>
        pipelines.deliveries.submit(event, (trace) => {
          const finished = { type: 'delivery.finished', seq, nowMs: nowMs(), trace };
          registry.tell(
            source.id,
            finished as ActorMessage,
            reportReceipt((error) => faults.report(`noting a delivery of ${source.id}`, error)),
          );
        }),
      endSilences: (namespace, names) => silences.resolve(namespace, names),
      circumstances: ({ namespace, entity, event }) => ({
        entityDown: isDown(runtime, namespace, entity),
        silenced: event === null ? [] : silencesMatching(event, Math.floor(nowMs() / 1000)),
        untold: event === null ? undefined : pipelines.untold({ ...event, timestamp: 0 }),
      }),
    },
  });
  const ingest = new Ingest({
    tree,
    registry,
    nowMs,
    newId: randomUUID,
    namespaceExists: (namespace) => table.hasNamespace(namespace),
    admitsEntity: foundations.admitsEntity,
    silences,
    untold: pipelines.untold,
    announce,
  });
  const sessions = new Sessions({
    nowMs,
    storedEntity: (namespace, name) => tree.entity(namespace, name),
    startActor: (session) => runtime.supervisor('sessions')?.startChild(sessionSpec(session)),
    tellActor: (id, fact) => registry.tell(id, fact),
    onUndeliverable: ({ connection: { namespace, agentName } }, frame) =>
      log.warn({ namespace, agent: agentName, frame }, 'a message could not be handed to the agent'),
    onUntrusted: ({ connection: { namespace, agentName } }, check) =>
      log.warn(
        { namespace, agent: agentName, check },
        'secrets will not be transmitted to agents without mutual TLS authentication (mTLS)',
      ),
  });
  const matcher = new ProxyMatcher({
    expressions: pipelines.expressions,
    nowMs,
    log,
  });
  const turns = new Turns(commit);
  configuration.watchChecks((namespace, name, config) => {
    if (config !== undefined) return;
    matcher.forget(namespace, name);
    turns.forget(namespace, name);
  });
  const clients: Clients = new Clients({
    commit,
    registry,
    supervisor: (id) => runtime.supervisor(id),
    tree,
    nowMs,
    newId: randomUUID,
    publish: (event, receipt) => ingest.event(event, receipt),
    announce,
    admitsEntity: foundations.admitsEntity,
    hasHandler: (name) => configuration.handler(defaultNamespace, name) !== undefined,
    definition: (check) => configuration.check(defaultNamespace, check),
    lastEvent: (client, check) => lastEvent(runtime, defaultNamespace, client, check),
    after: (delayMs, task) => void runtime.deadlines.after(delayMs, task),
    remove: foundations.deleteClient,
    version: clientRegistryVersion,
    log,
    onFault: (what, error) => faults.report(what, error),
  });
  const requests = new Requests({
    configuration,
    sessions,
    matcher,
    turns,
    resolveSecrets: secrets.resolve,
    askClients: (config, issue) => clients.requests.ask(config, issue),
    entities: (namespace) => entitiesOf(tree, registered, namespace),
    nowMs,
    after: (delayMs, task) => void runtime.deadlines.after(delayMs, task),
    log,
    onFault: (error) => faults.report('a proxy request', error),
  });
  const schedules = new Schedules({
    runtime,
    nowMs,
    issue: (config, issued) => {
      watchdog.ran(config);
      requests.issue(config, { issued });
      clients.requests.issue(config, { issued });
    },
  });
  const reportPlatform = createPlatformReporter({
    name: foundations.name,
    table,
    nowMs,
    ensureEntity: (namespace, name) => tree.ensureEntity(namespace, name),
    tell: registry.tell,
    accept: (event, receipt) => ingest.event(event, receipt),
    onFault: (error) => faults.report('an event about the platform', error),
  });
  const watchdog = new Watchdog({
    clock: runtime.clock,
    checks: () => configuration.checks(),
    revive: (config) => schedules.revive(config),
    onChange: (stopped) => {
      const finding = watchdogFinding(stopped);
      if (stopped.length > 0)
        log.error({ stopped }, 'checks did not run when they were due, starting them again');
      else log.warn({}, finding.output);
      reportPlatform(finding).catch((error) => faults.report('an event about the platform', error));
    },
  });
  const pressure = new Pressure([
    () => commit.underPressure,
    () => pipelines.deliveries.stats().waiting > maxWaitingDeliveries,
  ]);
  commit.onPressure(() => pressure.look());
  runtime.facts.listen((fact) => logFact(log, fact));
  return {
    root,
    clients,
    tree,
    ingest,
    events,
    reader: new ReadModel({ commit, index: events, nowMs, silencesMatching }),
    pipelines,
    configuration,
    requests,
    turns,
    schedules,
    sessions,
    silences,
    watchdog,
    secrets,
    pressure,
    registered,
  };
};

/** In order of their names, as every backend sees them. */
const entitiesOf = (tree: EntityTree, keys: Iterable<string>, namespace: string): readonly Entity[] => {
  const prefix = entityKey(namespace, '');
  const names = [...keys].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  return names.sort().flatMap((name) => tree.entity(namespace, name) ?? []);
};

/** Whether the keepalive of an entity is failing: one alert is then enough. */
const isDown = (runtime: Runtime, namespace: string, entity: string): boolean =>
  (lastEvent(runtime, namespace, entity, keepaliveCheckName)?.check.status ?? 0) > 0;

const lastEvent = (runtime: Runtime, namespace: string, entity: string, check: string): CheckEvent | null => {
  const snapshot = runtime.registry.peek(checkId(namespace, entity, check));
  return snapshot === undefined ? null : contextOf<CheckContext>(snapshot).event;
};
