import type { BootContext, BootFact } from '../machines/boot/boot-machine.ts';
import type { EntityFact } from '../machines/entity/entity-facts.ts';
import type { CheckConfig } from '../model/check/check.ts';
import { clientLabel } from '../model/earlier/attributes.ts';
import { clientNamespace } from '../model/earlier/namespace.ts';
import type { Entity } from '../model/entity/entity.ts';
import { MonError } from '../model/errors.ts';
import type { CheckEvent, Event } from '../model/event/event.ts';
import { defaultNamespace, keepaliveCheckName } from '../model/resource/names.ts';
import type { Silenced } from '../model/silence/silenced.ts';
import type { ShardHosting } from './compose/dependencies.ts';
import { gaugesOf } from './compose/gauges.ts';
import { type BackendOptions, type Opened, openDependencies } from './compose/open-dependencies.ts';
import { type Rebuilt, restoreBackend } from './compose/restore.ts';
import type { Services } from './compose/services.ts';
import { BackendShardHost, type ShardPart } from './compose/shard-host.ts';
import { compose } from './compose.ts';
import type { GroupCommit } from './durable/group-commit.ts';
import { onceShard } from './durable/record-shard.ts';
import type { OfferedEvent } from './elsewhere.ts';
import type { EventSource } from './event-spans.ts';
import type { EventIndex } from './events/event-index.ts';
import { type EventAddress, Incidents } from './events/incidents.ts';
import type { Page, ReadQuery } from './events/read-model.ts';
import { bootFamily } from './families/boot/boot-family.ts';
import type { Clients } from './families/client/clients.ts';
import { maxDeletionMs } from './families/client/limits.ts';
import { resolvedByDeregistering } from './families/entity/deregistration.ts';
import { type EntityPut, EntityService } from './families/entity/entity-service.ts';
import { checkId, entityId } from './families/entity/entity-tree.ts';
import { Jobs } from './families/job/jobs.ts';
import { idOf } from './families/kit/family-actors.ts';
import type { Connection, OpenSession, Sessions } from './families/session/sessions.ts';
import type { SilenceIdentity } from './families/silence/silence-family.ts';
import { type SilenceOverview, silenceOverview } from './families/silence/silence-overview.ts';
import { outcomeError } from './outcomes/outcome-rules.ts';
import { awaitReceipt, offerMessage } from './outcomes/receipts.ts';
import { deliveryDrainMs } from './pipelines/limits.ts';
import type { StepFigures } from './pipelines/step-times.ts';
import type { ProblemBook } from './problems/problem-book.ts';
import { unresolvedMessage, untrustedMessage } from './problems/withheld.ts';
import {
  type IncidentsAnywhere,
  incidentsAnywhere,
  type JobsAnywhere,
  jobsAnywhere,
} from './reach/anywhere.ts';
import type { BackendReach } from './reach/backend-reach.ts';
import { homeMethods, readMethods } from './reach/home-methods.ts';
import {
  coversAnywhere,
  type EventReader,
  mergedEntityList,
  mergedEventList,
  mergedEvents,
  mergedNames,
  mergedSilences,
  ownEvents,
} from './reach/merged-lists.ts';
import type { Peers } from './reach/peers.ts';
import { Reach } from './reach/reach.ts';
import { shareMethods } from './reach/share-methods.ts';
import { createLicensedLimit } from './resources/licensed-limit.ts';
import type { ResourceTable } from './resources/resource-table.ts';
import { restoreBuiltIns } from './resources/seed.ts';
import type { SharedRecords } from './resources/shared-records.ts';
import type { Receipt } from './runtime/contract.ts';
import { contextOf, stateValueOf } from './runtime/inspection/snapshot.ts';
import type { HistogramFigures } from './runtime/load/histogram.ts';
import type { Pressure } from './runtime/load/pressure.ts';
import type { RunQueueHistograms } from './runtime/load/run-queue.ts';
import type { Runtime } from './runtime/runtime.ts';

const bootId = idOf(bootFamily, { nowMs: 0 });

export interface BackendHistograms extends RunQueueHistograms {
  readonly commitSeconds: HistogramFigures;
  readonly steps: readonly StepFigures[];
}

export class Backend {
  readonly runtime: Runtime;
  readonly resources: ResourceTable;
  readonly committer: GroupCommit;
  /** What tokens are signed with. */
  readonly secret: Uint8Array;
  /** Where several backends write: how they write configuration and logins. */
  readonly shared: SharedRecords | undefined;
  /** What people do about incidents. */
  readonly incidents: IncidentsAnywhere;
  /** What people do to many events in one go. */
  readonly jobs: JobsAnywhere;
  /** In a cluster: brings shards up and down, as the leases say. Undefined without `hosting`. */
  readonly shards: BackendShardHost | undefined;
  readonly #options: BackendOptions;
  readonly #services: Services;
  readonly #entities: EntityService;
  readonly #entityLimit: () => number;
  /** The bulk jobs that live here. */
  readonly #jobs: Jobs;
  readonly #reach: BackendReach;
  #isStopping = false;

  private constructor(options: BackendOptions, opened: Opened) {
    const { runtime, families, commit, table, secret } = opened;
    this.#options = options;
    this.runtime = runtime;
    this.resources = table;
    this.committer = commit;
    this.secret = secret;
    this.shared = options.shared;
    this.#entityLimit = createLicensedLimit({
      table,
      key: options.licenseKey,
      freeEntities: options.entityLimit,
      nowMs: () => runtime.clock.wallMs(),
    });
    this.#services = compose({
      ...options,
      runtime,
      families,
      commit,
      table,
      boot: {
        rebuild: () =>
          restoreBackend({
            ...options,
            ...opened,
            registry: opened.runtime.registry,
            services: this.#services,
          }),
        beginWork: async () => this.#beginWork(),
        drain: () => this.#drain(),
        failed: (error) => options.log.error({ error }, "the backend can't go on"),
      },
      admitsEntity: (namespace, name) => this.#admits(namespace, name),
      deregister: (namespace, name) => this.#entities.deregister(namespace, name),
      deleteClient: (name) => this.deleteClient(name),
    });
    this.#reach = this.#reachOf(options.peers);
    this.incidents = incidentsAnywhere(this.#reach);
    this.jobs = jobsAnywhere(this.#reach);
    this.#jobs = new Jobs({
      families,
      table,
      index: this.#services.events,
      matching: (namespace, filter) => mergedNames(this.#reach, namespace, filter),
      faults: runtime.faults,
      nowMs: () => this.#nowMs(),
      after: (delayMs, task) => void runtime.deadlines.after(delayMs, task),
      refusal: options.refusal ?? (() => null),
      incidents: this.incidents,
      read: ({ namespace, entity, check }) => this.readEvent(namespace, entity, check),
      write: (event) => this.acceptEvent(event),
      deleteEvent: ({ namespace, entity, check }) => this.deleteEvent(namespace, entity, check),
      run: async (namespace, check, subscriptions) =>
        (await this.executeCheck(namespace, check, subscriptions)).warnings,
    });
    this.shards = this.#openShards(options.hosting, opened);
    this.#entities = new EntityService({
      ...this.#services,
      ...options,
      table,
      registry: runtime.registry,
      nowMs: () => runtime.clock.wallMs(),
    });
  }

  #openShards(hosting: ShardHosting | undefined, opened: Opened): BackendShardHost | undefined {
    if (hosting === undefined) return undefined;
    const { schedules, silences, clients } = this.#services;
    const { registry, faults } = opened.runtime;
    const ofOnce: ShardPart = {
      load: (shard) => {
        if (shard !== onceShard) return;
        this.#finishDeletionsOfClients();
        void this.#restoreBuiltIns();
      },
      unload: async (shard) => (shard === onceShard ? clients.unload() : undefined),
    };
    const ofSilences: ShardPart = { load: (shard) => silences.load(shard), unload: async () => {} };
    const ofJobs: ShardPart = { load: () => {}, unload: (shard) => this.#jobs.unload(shard) };
    return new BackendShardHost({
      ...opened,
      hosting,
      registry,
      log: this.#options.log,
      services: this.#services,
      parts: [schedules, ofSilences, ofOnce, ofJobs],
      onFault: (what, error) => faults.report(what, error),
    });
  }

  /** Opens everything on a store: resources, then every entity and check with what is left of its waits. */
  static async open(
    options: BackendOptions,
  ): Promise<{ readonly backend: Backend; readonly rebuilt: Rebuilt }> {
    let backend: Backend | undefined;
    const opened = await openDependencies(options, (shard) => backend?.shards?.lost(shard));
    backend = new Backend(options, opened);
    const rebuilt = await backend.#begin();
    // In a cluster one of the backends does.
    if (options.hosting === undefined) await backend.#restoreBuiltIns();
    return { backend, rebuilt };
  }

  /** A store that cannot be written to is no reason not to watch. */
  async #restoreBuiltIns(): Promise<void> {
    await restoreBuiltIns(this.resources).catch((error: unknown) =>
      this.#options.log.error({ err: error }, 'the secrets provider `env` could not be made'),
    );
  }

  /** From here on checks are scheduled and edges may let traffic in. */
  serve(): Promise<void> {
    return this.#step({ type: 'serve.requested', nowMs: this.#nowMs() });
  }

  isReady(): boolean {
    return !this.#isStopping && this.#bootState() === 'serving';
  }

  /**
   * Ends in good order: no new checks, agents told to go elsewhere, handlers given a while, actors stopped from the
   * outside in, and what they wrote committed. The store is closed by its opener.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    // A tree that collapsed has no boot actor any more.
    const drained = this.runtime.registry.has(bootId)
      ? this.#step({ type: 'drain.requested', nowMs: this.#nowMs() })
      : this.#drain();
    await drained.catch((error: unknown) => this.runtime.faults.report('the drain', error));
    this.#services.secrets.close();
    await this.#services.root.stop();
    await this.committer.close();
    this.runtime.close();
  }

  async #begin(): Promise<Rebuilt> {
    await this.#services.root.ready();
    await this.#step({ type: 'store.opened', nowMs: this.#nowMs() });
    const snapshot = this.runtime.registry.peek(bootId);
    if (snapshot === undefined)
      throw new MonError('unavailable', 'the backend was stopped before it was ready');
    const { entities, checks, quarantined } = contextOf<BootContext>(snapshot);
    return { entities, checks, quarantined };
  }

  #beginWork(): void {
    const { silences, schedules, configuration, watchdog, problems } = this.#services;
    silences.start();
    schedules.follow(configuration);
    watchdog.start();
    problems.start();
    this.#jobs.start();
    this.#finishDeletionsOfClients();
  }

  #finishDeletionsOfClients(): void {
    this.#finishDeletions().catch((error: unknown) =>
      this.runtime.faults.report('finishing the deletion of clients', error),
    );
  }

  async #drain(): Promise<void> {
    const { schedules, sessions, pipelines, watchdog, problems, silences } = this.#services;
    this.#jobs.stop();
    watchdog.stop();
    problems.stop();
    await schedules.stop();
    await sessions.drain('bye');
    await pipelines.close(deliveryDrainMs);
    silences.book.flush();
  }

  /** Resolves when the boot actor has taken this step; rejects with what went wrong. */
  #step(fact: BootFact): Promise<void> {
    return new Promise((resolve, reject) => {
      this.runtime.registry.tell(bootId, fact, (outcome) => {
        if (outcome.type === 'done') resolve();
        else reject(outcome.type === 'fault' ? outcome.error : outcomeError(outcome));
      });
    });
  }

  #bootState(): unknown {
    const snapshot = this.runtime.registry.peek(bootId);
    return snapshot === undefined ? undefined : stateValueOf(snapshot);
  }

  /** What other backends may ask of this one, by method. */
  get answers(): ReturnType<BackendReach['answers']> {
    return this.#reach.answers();
  }

  #reachOf(peers: Peers | undefined): BackendReach {
    const { reader } = this.#services;
    const { deadlines } = this.runtime;
    const nowMs = (): number => this.#nowMs();
    const incidents = new Incidents({
      read: ({ namespace, entity, check }) => reader.event(namespace, entity, check),
      tell: ({ namespace, entity, check }, fact) => this.#ask(checkId(namespace, entity, check), fact),
      nowMs,
    });
    const jobs = (): Jobs => this.#jobs;
    const home = homeMethods({
      reader,
      incidents,
      jobs,
      deleteEvent: (address) => this.#deleteEvent(address),
      putEntity: (entity, how) => this.#putEntity(entity, how),
      deleteEntity: (namespace, name) => this.#deleteEntity(namespace, name),
      executeCheck: (...asked) => this.#executeCheck(...asked),
    });
    const share = shareMethods({
      reader,
      jobs,
      index: this.#services.events,
      silences: (namespace) => this.#silences(namespace),
    });
    const after = (delayMs: number, task: () => void): void => void deadlines.after(delayMs, task);
    return new Reach({ peers, home, share, reads: readMethods, nowMs, after });
  }

  // Events

  /** Resolves after the commit. Rejects with a MonError. */
  acceptEvent(event: Event, repeatKey: string | null = null): Promise<void> {
    return offerMessage((receipt) =>
      this.#services.ingest.write(event, repeatKey, this.#traced(event, 'api', receipt)),
    );
  }

  acceptFrame(kind: 'event' | 'keepalive', event: Event, receipt: Receipt): void {
    const { ingest } = this.#services;
    const told = this.#traced(event, kind, receipt);
    if (kind === 'keepalive' && event.entity.entity_class === 'agent') ingest.keepalive(event, told);
    else ingest.event(event, told);
  }

  #traced(event: Event, source: EventSource, receipt: Receipt): Receipt {
    return this.#options.spans?.arrived(event, source, receipt) ?? receipt;
  }

  /** An event that another backend took in, since its entity lives here. */
  takeEvent(offered: OfferedEvent, receipt: Receipt): void {
    this.#services.ingest.here(offered, receipt);
  }

  readEvents(query: ReadQuery<CheckEvent>): Promise<Page<CheckEvent>> {
    const { reader } = this.#services;
    return this.#reach.peers === undefined ? reader.events(query) : mergedEventList(this.#reach, query);
  }

  readEvent(namespace: string, entity: string, check: string): Promise<CheckEvent | undefined> {
    return this.#reach.at('event.read', { namespace, name: entity }, { namespace, entity, check });
  }

  /** Lists, counts and groups of the events of all backends. */
  get eventReader(): EventReader {
    return this.#reach.peers === undefined ? ownEvents(this.events) : mergedEvents(this.#reach);
  }

  /** Every event that lives here as it was last committed, worst first, with the silences of now. */
  get events(): EventIndex {
    return this.#services.events;
  }

  /** What the pipelines made of the last delivered event of a check. */
  readTrace(namespace: string, entity: string, check: string): Promise<unknown> {
    return this.#reach.at('event.trace', { namespace, name: entity }, { namespace, entity, check });
  }

  /** False when there is no such event. */
  deleteEvent(namespace: string, entity: string, check: string): Promise<boolean> {
    return this.#reach.at('event.delete', { namespace, name: entity }, { namespace, entity, check });
  }

  async #deleteEvent({ namespace, entity, check }: EventAddress): Promise<boolean> {
    if ((await this.#services.reader.event(namespace, entity, check)) === undefined) return false;
    if (check === keepaliveCheckName && this.#services.tree.context(namespace, entity) !== undefined) {
      const forgotten: EntityFact = { type: 'keepalive.forgotten', nowMs: this.#nowMs() };
      await this.#ask(entityId(namespace, entity), forgotten);
    }
    await this.#ask(checkId(namespace, entity, check), { type: 'check.deleted' });
    return true;
  }

  // Silences

  /** What the silences of a namespace do now, and which ended lately. */
  silences(namespace: string): Promise<SilenceOverview> {
    return this.#reach.peers === undefined
      ? this.#silences(namespace)
      : mergedSilences(this.#reach, namespace);
  }

  #silences(namespace: string): Promise<SilenceOverview> {
    const { silences, events } = this.#services;
    const { book } = silences;
    return silenceOverview(namespace, {
      table: this.resources,
      index: events,
      book,
      nowMs: () => this.#nowMs(),
    });
  }

  /** Ends a silence by hand. False when there is none; `check` may throw before that. */
  clearSilence(
    silence: SilenceIdentity,
    by: string,
    check?: (current: Readonly<Record<string, unknown>>) => void,
  ): Promise<boolean> {
    return this.#services.silences.clear(silence, by, check);
  }

  /** Whether a silence covers any event of its namespace, whenever it holds. */
  silenceCovers(namespace: string, silence: Silenced): Promise<boolean> {
    return coversAnywhere(this.#reach, namespace, silence);
  }

  // Entities

  readEntities(query: ReadQuery<Entity>): Promise<Page<Entity>> {
    const { reader } = this.#services;
    return this.#reach.peers === undefined ? reader.entities(query) : mergedEntityList(this.#reach, query);
  }

  readEntity(namespace: string, name: string): Promise<Entity | undefined> {
    return this.#reach.at('entity.read', { namespace, name }, { namespace, name });
  }

  /** With `create`, an entity that exists already is refused. Rejects with a MonError. */
  putEntity(entity: Entity, how: EntityPut): Promise<Entity> {
    const { namespace = '', name } = entity.metadata;
    return this.#reach.at('entity.put', { namespace, name }, { entity, how });
  }

  /** With all its events and silences, and the client it stands for. False when there is no such entity. */
  deleteEntity(namespace: string, name: string): Promise<boolean> {
    return this.#reach.at('entity.delete', { namespace, name }, { namespace, name });
  }

  async #deleteEntity(namespace: string, name: string): Promise<boolean> {
    const { clients, tree } = this.#services;
    if (namespace === clientNamespace && clients.get(name) !== undefined) {
      if (tree.entity(namespace, name)?.entity_class !== 'agent') return this.deleteClient(name);
      await clients.delete(name);
    }
    return this.#entities.delete(namespace, name);
  }

  async #putEntity(entity: Entity, how: EntityPut): Promise<Entity> {
    const { namespace = '', name } = entity.metadata;
    if (!this.#admits(namespace, name))
      throw new MonError(
        'paymentRequired',
        'license required: the entity limit is reached; a valid license with a sufficient entity limit is required, or start the backend with --entity-limit 0',
      );
    return this.#entities.put(entity, how);
  }

  /**
   * Whether an entity of this name is registered. One that lives on another backend counts as registered: an edge must refuse no
   * event of an entity that is known there.
   */
  knowsEntity(namespace: string, name: string): boolean {
    if (this.#reach.isElsewhere(namespace, name)) return true;
    return this.#services.tree.entity(namespace, name) !== undefined;
  }

  /** Whether it may be added. The limit of one that lives on another backend is applied there. */
  admitsEntity(namespace: string, name: string): boolean {
    return this.#reach.isElsewhere(namespace, name) || this.#admits(namespace, name);
  }

  #admits(namespace: string, name: string): boolean {
    const { registered } = this.#services;
    const limit = this.#entityLimit();
    return limit === 0 || registered.taken < limit || registered.has(namespace, name);
  }

  /** Entities watched now and entities allowed; 0 for no limit. */
  entityAllowance(): { readonly count: number; readonly limit: number } {
    return { count: this.#services.registered.size, limit: this.#entityLimit() };
  }

  // Clients of the earlier generation

  get clients(): Clients {
    return this.#services.clients;
  }

  /**
   * Its incidents are resolved towards the pipelines, then everything of it goes. Nothing it says meanwhile is believed, nor
   * for `barMs` afterwards. False when there is no such client.
   */
  async deleteClient(name: string, { barMs = 0 }: { readonly barMs?: number } = {}): Promise<boolean> {
    const { clients } = this.#services;
    // The bar is durable: should we end meanwhile, the next start finds what is left to do.
    if (!(await clients.delete(name, this.#nowMs() + maxDeletionMs + barMs))) return false;
    await this.#forgetClient(name);
    await clients.bar(name, barMs === 0 ? null : this.#nowMs() + barMs);
    return true;
  }

  /** Deletions of clients that an earlier process did not finish: a client that is barred has no entity. */
  async #finishDeletions(): Promise<void> {
    const { clients, tree } = this.#services;
    for (const { name, untilMs } of clients.barred()) {
      const labels = tree.entity(clientNamespace, name)?.metadata.labels ?? {};
      if (!(clientLabel in labels)) continue;
      await this.#forgetClient(name);
      const leftUntilMs = untilMs - maxDeletionMs;
      await clients.bar(name, leftUntilMs > this.#nowMs() ? leftUntilMs : null);
    }
  }

  async #forgetClient(name: string): Promise<void> {
    const { tree, reader, announcements } = this.#services;
    if (tree.entity(clientNamespace, name)?.entity_class === 'agent') return;
    const { items } = await reader.events({ namespace: clientNamespace, entity: name });
    const resolved = items.filter(({ check }) => check.status !== 0).map(resolvedByDeregistering);
    // Durable before the incidents go: a crash in between must not leave their handlers waiting for the end.
    await Promise.all(resolved.map((event) => awaitReceipt((receipt) => announcements.tell(event, receipt))));
    await this.#entities.delete(clientNamespace, name);
  }

  // Checks and sessions

  /**
   * Asks agents and clients to run a check now. `issued` is in Unix seconds; `attributes` go along in requests to clients.
   */
  executeCheck(
    namespace: string,
    check: string,
    subscriptions: readonly string[] = [],
    attributes: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly issued: number; readonly warnings: readonly string[] }> {
    return this.#reach.at(
      'check.execute',
      { namespace, name: check },
      { namespace, check, subscriptions, attributes },
    );
  }

  async #executeCheck(
    namespace: string,
    check: string,
    subscriptions: readonly string[],
    attributes: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly issued: number; readonly warnings: readonly string[] }> {
    const config = this.#services.configuration.check(namespace, check);
    if (config === undefined) throw new MonError('notFound');
    const warnings = await this.#obstacles(config, subscriptions);
    return { issued: this.#services.executeNow(config, { subscriptions, attributes }), warnings };
  }

  /** Why a run reaches fewer agents than were meant. Rejects when it can reach none: a secret can't be resolved. */
  async #obstacles(config: CheckConfig, asked: readonly string[]): Promise<readonly string[]> {
    const { sessions, secrets, problems } = this.#services;
    const { secrets: references, metadata } = config;
    const { namespace = defaultNamespace } = metadata;
    const subscriptions = asked.length === 0 ? config.subscriptions : asked;
    const unheard = problems.nobodyRuns({ ...config, subscriptions: [...subscriptions] });
    const warnings = unheard === undefined ? [] : [unheard];
    if (references === null || references.length === 0) return warnings;
    await secrets.resolve(namespace, references).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      const isOutage = error instanceof MonError && error.kind === 'unavailable';
      throw new MonError(isOutage ? 'unavailable' : 'invalid', `the check was ${unresolvedMessage(why)}`, {
        cause: error,
      });
    });
    const untrusted = sessions.untrusted(namespace, subscriptions);
    return untrusted.length === 0 ? warnings : [untrustedMessage(untrusted)];
  }

  // Problems

  /** What can't work as it stands. */
  get problems(): ProblemBook {
    return this.#services.problems.book;
  }

  /** Proxy checks whose entities are just being found out. */
  get proxyChecksMatching(): number {
    return this.#services.requests.matching;
  }

  openSession(connection: Connection): OpenSession {
    return this.#services.sessions.open(connection);
  }

  get sessions(): Sessions {
    return this.#services.sessions;
  }

  // Health

  get pressure(): Pressure {
    return this.#services.pressure;
  }

  async health(): Promise<{
    readonly members: readonly { name: string; healthy: boolean; error: string }[];
  }> {
    const error = await this.#options.store.get('system', 'health').then(
      () => '',
      (problem: unknown) => (problem instanceof Error ? problem.message : String(problem)),
    );
    return { members: [{ name: this.#options.name, healthy: error === '', error }] };
  }

  /** Why the store can't be written at the moment; undefined when nothing is known to be wrong. */
  get storeTrouble(): string | undefined {
    return this.committer.trouble?.message;
  }

  /** Figures of this moment, for people and for metrics. */
  gauges(): Readonly<Record<string, number>> {
    return gaugesOf(this.#services, this.runtime, this.committer, this.resources);
  }

  /** How long things took since the start, seconds, and how deep mailboxes were. */
  histograms(): BackendHistograms {
    return {
      ...this.runtime.queue.histograms(),
      commitSeconds: this.committer.commitSeconds(),
      steps: this.#services.pipelines.stepTimes.read(),
    };
  }

  #ask(id: string, fact: { readonly type: string }): Promise<void> {
    return awaitReceipt((receipt) => this.runtime.registry.tell(id, fact, receipt));
  }

  #nowMs(): number {
    return this.runtime.clock.wallMs();
  }
}
