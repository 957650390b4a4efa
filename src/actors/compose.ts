// How the actor world is put together: the parts, in the order in which each finds its neighbours, and who may call whom.
// Each part is handed just the calls it makes, so this file is the map of the backend. The supervision tree: root-spec.ts.
import { randomUUID } from 'node:crypto';
import type { Event } from '../model/event/event.ts';
import { defaultNamespace } from '../model/resource/names.ts';
import { createSecrets } from '../secrets/secrets.ts';
import type { StoredRecord } from '../store/snapshot-store.ts';
import { composePipelines } from './compose/compose-pipelines.ts';
import { composeProblems, configurationCheck, type Problems } from './compose/compose-problems.ts';
import { composeScheduling, type Scheduling } from './compose/compose-scheduling.ts';
import { composeSessions } from './compose/compose-sessions.ts';
import { composeTree, type Tree } from './compose/compose-tree.ts';
import type { Dependencies } from './compose/dependencies.ts';
import type { Services } from './compose/services.ts';
import { eventIn, sinceInRecord } from './events/event-in-record.ts';
import { EventIndex } from './events/event-index.ts';
import { ReadModel } from './events/read-model.ts';
import { bootFamily } from './families/boot/boot-family.ts';
import { Clients, clientRegistryVersion } from './families/client/clients.ts';
import { refusalsCheckName } from './families/client/refusals.ts';
import { EntityGate } from './families/entity/entity-bounds.ts';
import { lastEvent } from './families/entity/entity-tree.ts';
import { HeldEvents } from './families/entity/held-events.ts';
import { entityBounds } from './families/entity/limits.ts';
import { RegisteredEntities } from './families/entity/registered-entities.ts';
import { rootTree } from './families/root-tree.ts';
import { Silences } from './families/silence/silences.ts';
import { families as familyTable } from './families/table.ts';
import { Ingest } from './ingest.ts';
import { Announcements } from './pipelines/announcements.ts';
import { maxWaitingDeliveries } from './pipelines/limits.ts';
import { createPlatformReporter, platformNamespace, watchdogCheckName } from './platform/platform-events.ts';
import { Withheld } from './problems/withheld.ts';
import { Configuration } from './resources/configuration.ts';
import type { Receipt } from './runtime/contract.ts';
import { logFact } from './runtime/inspection/fact-log.ts';
import { Pressure } from './runtime/load/pressure.ts';
import { createSupervisor } from './runtime/runtime.ts';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the map of the backend; its parts refer to each other, both ways
export const compose = (dependencies: Dependencies): Services => {
  const { runtime, families, commit, table, log, admitsEntity } = dependencies;
  const { registry, faults } = runtime;
  const nowMs = (): number => runtime.clock.wallMs();
  const boot = families.spec(bootFamily, { nowMs: nowMs() }, dependencies.boot);
  const root = createSupervisor(
    runtime,
    rootTree(familyTable, () => boot),
    {
      onExit: (reason) => reason.type === 'abnormal' && dependencies.onCollapse(),
    },
  );
  runtime.facts.listen((fact) => logFact(log, fact));

  const configuration = new Configuration(table);
  const silences: Silences = new Silences({
    families,
    table,
    commit,
    nowMs,
    faults,
    shards: dependencies.hosting?.shards,
    after: (delayMs, task) => void runtime.deadlines.after(delayMs, task),
    changed: (namespace) => events.silencesChanged(namespace),
  });
  const silencesMatching = (event: Event, nowSeconds: number) => silences.matching(event, nowSeconds);
  const events = new EventIndex({
    nowMs,
    silencesMatching,
    onFault: (error) => faults.report('marking silenced events', error),
  });
  const held = new HeldEvents();
  const learn = (key: string, record: StoredRecord | undefined): void => {
    const event = eventIn(record);
    events.learn(key, event, sinceInRecord(record));
    held.learn(key, event);
  };
  commit.follow('check', learn);

  const secrets = createSecrets(
    table,
    dependencies.env,
    () => runtime.clock.monotonicMs(),
    dependencies.authorities,
  );
  const pipelines = composePipelines(dependencies, configuration, secrets, (namespace, names) =>
    silences.book.suppress(namespace, names),
  );
  const announcements = new Announcements({
    commit,
    deliveries: pipelines.deliveries,
    shards: dependencies.hosting?.shards,
  });
  const announce = (event: Event, receipt?: Receipt): void => announcements.tell(event, receipt);

  const withheld = new Withheld();
  const registered = new RegisteredEntities();
  const noteEntity = (key: string): void => {
    const [namespace = '', name = ''] = key.split('/');
    problems?.book.noteEntity(namespace, name, tree.entity(namespace, name));
  };
  let problems: Problems | undefined;
  commit.follow('entity', (key, record) => {
    registered.noteCommitted(key, record !== undefined);
    noteEntity(key);
  });
  const { tree, checkDeliveries, isCrowded }: Tree = composeTree(dependencies, {
    pipelines,
    silences,
    masksOf: (event) => events.masksOf(event),
    registered,
    entityRestored: noteEntity,
    checkRestored: learn,
    publish: (event, receipt) => ingest.publishKeepalive(event, receipt),
    configChanged: (config, isVouched) => sessions.configure(config, isVouched),
  });
  const gate = new EntityGate({ bounds: { ...entityBounds, ...dependencies.entityBounds }, tree, held });
  const ingest = new Ingest({
    tree,
    gate,
    registry,
    nowMs,
    newId: randomUUID,
    namespaceExists: (namespace) => table.hasNamespace(namespace),
    admitsEntity,
    silences,
    masksOf: (event) => events.masksOf(event),
    unrouted: pipelines.unrouted,
    isCrowded,
    elsewhere: dependencies.elsewhere,
    announce,
  });
  const sessions = composeSessions(dependencies, tree, withheld);
  const reportFinding = createPlatformReporter({
    name: dependencies.name,
    table,
    nowMs,
    accept: (event, receipt) => ingest.platform(event, receipt),
    onFault: (error) => faults.report('an event about the platform', error),
  });
  const clients: Clients = new Clients({
    commit,
    registry,
    families,
    tree,
    nowMs,
    newId: randomUUID,
    publish: (event, receipt) => ingest.event(event, receipt),
    announce,
    admitsEntity,
    holdEntity: (namespace, name) => registered.hold(namespace, name),
    hasHandler: (name) => configuration.handler(defaultNamespace, name) !== undefined,
    definition: (check) => configuration.check(defaultNamespace, check),
    lastEvent: (client, check) => lastEvent(registry, defaultNamespace, client, check),
    after: (delayMs, task) => void runtime.deadlines.after(delayMs, task),
    remove: dependencies.deleteClient,
    version: clientRegistryVersion,
    reportFinding,
    lastStatus: () =>
      lastEvent(registry, platformNamespace, dependencies.name, refusalsCheckName)?.check.status,
    hook: (name) => configuration.hook(defaultNamespace, name),
    turns: { take: (...turn) => scheduling.turns.take(...turn) },
    log,
    onFault: (what, error) => faults.report(what, error),
  });
  const scheduling: Scheduling = composeScheduling(dependencies, {
    configuration,
    pipelines,
    sessions,
    clients,
    secrets,
    entities: (namespace) => registered.list(namespace, (_, name) => tree.entity(namespace, name)),
    withheld,
    isVouched: (namespace, name) => tree.isVouched(namespace, name),
    tellResult: (event) =>
      ingest.event(event, ({ type }) => {
        if (type !== 'done')
          log.warn(
            { check: event.check.metadata.name, outcome: type },
            'the event that says why a check did not run is not kept',
          );
      }),
    report: reportFinding,
    lastWatchdogStatus: () =>
      lastEvent(registry, platformNamespace, dependencies.name, watchdogCheckName)?.check.status,
  });
  const pressure = new Pressure([
    () => commit.underPressure,
    () => pipelines.deliveries.stats().waiting > maxWaitingDeliveries,
  ]);
  commit.onPressure(() => pressure.look());
  const reader = new ReadModel({ commit, index: events, nowMs, silencesMatching });
  problems = composeProblems(dependencies, {
    pipelines,
    sessions,
    clients,
    withheld,
    events,
    hasEntity: (namespace, name) => registered.has(namespace, name),
    report: reportFinding,
    lastEvent: () => reader.event(platformNamespace, dependencies.name, configurationCheck),
  });
  return {
    ...scheduling,
    root,
    clients,
    tree,
    ingest,
    events,
    held,
    gate,
    learn,
    reader,
    problems,
    pipelines,
    checkDeliveries,
    announcements,
    configuration,
    sessions,
    silences,
    secrets,
    pressure,
    registered,
  };
};
