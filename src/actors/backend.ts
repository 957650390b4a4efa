import type { EntityFact } from '../machines/entity-facts.ts';
import type { CheckConfig } from '../model/check.ts';
import type { Entity } from '../model/entity.ts';
import { MonError } from '../model/errors.ts';
import type { CheckEvent, Event } from '../model/event.ts';
import { defaultNamespace, keepaliveCheckName } from '../model/names.ts';
import { tellBoot } from './boot-behaviour.ts';
import { bringUp, type Rebuilt } from './bring-up.ts';
import { clientNamespace } from './clients/client-behaviour.ts';
import type { Clients } from './clients/clients.ts';
import { maxDeletionMs } from './clients/limits.ts';
import type { GroupCommit } from './commit/group-commit.ts';
import { compose } from './compose.ts';
import { resolvedByDeregistering } from './entities/deregistration.ts';
import { EntityDesk, type EntityPut } from './entities/entity-desk.ts';
import { checkId, entityId } from './entities/entity-tree.ts';
import type { EventIndex } from './events/event-index.ts';
import { gaugesOf } from './gauges.ts';
import { type BackendOptions, type Opened, openFoundations } from './open-foundations.ts';
import type { Parts } from './parts.ts';
import type { ProblemBook } from './problems/problem-book.ts';
import { unresolvedMessage, untrustedMessage } from './problems/withheld.ts';
import type { Page, ReadQuery } from './read-model.ts';
import { createLicensedLimit } from './resources/licensed-limit.ts';
import type { ResourceTable } from './resources/resource-table.ts';
import { restoreBuiltIns } from './resources/seed.ts';
import type { Receipt } from './runtime/contract.ts';
import { deliveryDrainMs } from './runtime/limits.ts';
import type { Pressure } from './runtime/pressure.ts';
import { awaitReceipt, offerMessage } from './runtime/receipts.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { Connection, OpenSession, Sessions } from './sessions/sessions.ts';

export class Backend {
  readonly runtime: Runtime;
  readonly resources: ResourceTable;
  readonly committer: GroupCommit;
  /** What tokens are signed with. */
  readonly secret: Uint8Array;
  readonly #options: BackendOptions;
  readonly #parts: Parts;
  readonly #desk: EntityDesk;
  readonly #entityLimit: () => number;
  #serving = false;

  private constructor(options: BackendOptions, { runtime, commit, table, secret }: Opened) {
    this.#options = options;
    this.runtime = runtime;
    this.resources = table;
    this.committer = commit;
    this.secret = secret;
    this.#entityLimit = createLicensedLimit({
      table,
      key: options.licenseKey,
      freeEntities: options.entityLimit,
      nowMs: () => runtime.clock.wallMs(),
    });
    this.#parts = compose({
      ...options,
      runtime,
      commit,
      table,
      admitsEntity: (namespace, name) => this.admitsEntity(namespace, name),
      deregister: (namespace, name) => this.#desk.deregister(namespace, name),
      deleteClient: (name) => this.deleteClient(name),
    });
    this.#desk = new EntityDesk({
      ...this.#parts,
      ...options,
      table,
      registry: runtime.registry,
      nowMs: () => runtime.clock.wallMs(),
    });
  }

  /** Opens everything on a store: resources, then every entity and check with what is left of its waits. */
  static async open(
    options: BackendOptions,
  ): Promise<{ readonly backend: Backend; readonly rebuilt: Rebuilt }> {
    const opened = await openFoundations(options);
    const backend = new Backend(options, opened);
    const rebuilt = await bringUp({ ...options, ...opened, parts: backend.#parts });
    // A store that cannot be written to is no reason not to watch.
    await restoreBuiltIns(opened.table).catch((error: unknown) =>
      options.log.error({ err: error }, 'the secrets provider `env` could not be made'),
    );
    return { backend, rebuilt };
  }

  /** From here on checks are scheduled and edges may let traffic in. */
  serve(): void {
    this.#serving = true;
    this.#parts.silences.start();
    this.#parts.schedules.follow(this.#parts.configuration);
    this.#parts.watchdog.start();
    this.#parts.problems.start();
  }

  isReady(): boolean {
    return this.#serving;
  }

  /**
   * Ends in good order: no new checks, agents told to go elsewhere, handlers given a while, actors stopped from the
   * outside in, and what they wrote committed. The store is closed by its opener.
   */
  async stop(): Promise<void> {
    const { schedules, sessions, pipelines, root, watchdog } = this.#parts;
    this.#serving = false;
    tellBoot(this.runtime, { type: 'drain.requested', nowMs: this.#nowMs() });
    watchdog.stop();
    this.#parts.problems.stop();
    await schedules.stop();
    sessions.drain('bye');
    await pipelines.close(deliveryDrainMs);
    this.#parts.secrets.close();
    await root.stop();
    await this.committer.close();
    this.runtime.close();
  }

  // Events

  /** Resolves after the commit. Rejects with a MonError. */
  acceptEvent(event: Event, repeatKey: string | null = null): Promise<void> {
    return offerMessage((receipt) => this.#parts.ingest.write(event, repeatKey, receipt));
  }

  acceptFrame(kind: 'event' | 'keepalive', event: Event, receipt: Receipt): void {
    const { ingest } = this.#parts;
    if (kind === 'keepalive' && event.entity.entity_class === 'agent') ingest.keepalive(event, receipt);
    else ingest.event(event, receipt);
  }

  readEvents(query: ReadQuery<CheckEvent>): Promise<Page<CheckEvent>> {
    return this.#parts.reader.events(query);
  }

  readEvent(namespace: string, entity: string, check: string): Promise<CheckEvent | undefined> {
    return this.#parts.reader.event(namespace, entity, check);
  }

  /** Every event as it was last committed, worst first, with the silences of now. */
  get events(): EventIndex {
    return this.#parts.events;
  }

  /** What the pipelines made of the last delivered event of a check. */
  readTrace(namespace: string, entity: string, check: string): Promise<unknown> {
    return this.#parts.reader.trace(namespace, entity, check);
  }

  async deleteEvent(namespace: string, entity: string, check: string): Promise<boolean> {
    if ((await this.#parts.reader.event(namespace, entity, check)) === undefined) return false;
    if (check === keepaliveCheckName && this.#parts.tree.context(namespace, entity) !== undefined) {
      const forgotten: EntityFact = { type: 'keepalive.forgotten', nowMs: this.#nowMs() };
      await this.#ask(entityId(namespace, entity), forgotten);
    }
    await this.#ask(checkId(namespace, entity, check), { type: 'check.deleted' });
    return true;
  }

  // Entities

  readEntities(query: ReadQuery<Entity>): Promise<Page<Entity>> {
    return this.#parts.reader.entities(query);
  }

  readEntity(namespace: string, name: string): Promise<Entity | undefined> {
    return this.#parts.reader.entity(namespace, name);
  }

  /** With `create`, an entity that exists already is refused. Rejects with a MonError. */
  putEntity(entity: Entity, how: EntityPut): Promise<Entity> {
    return this.#desk.put(entity, how);
  }

  /** With all its events and silences, and the client it stands for. False when there is no such entity. */
  async deleteEntity(namespace: string, name: string): Promise<boolean> {
    const { clients, tree } = this.#parts;
    if (namespace === clientNamespace && clients.get(name) !== undefined) {
      if (tree.entity(namespace, name)?.entity_class !== 'agent') return this.deleteClient(name);
      await clients.delete(name);
    }
    return this.#desk.delete(namespace, name);
  }

  /** Whether an entity of this name is registered. */
  knowsEntity(namespace: string, name: string): boolean {
    return this.#parts.tree.entity(namespace, name) !== undefined;
  }

  admitsEntity(namespace: string, name: string): boolean {
    const { registered } = this.#parts;
    const limit = this.#entityLimit();
    return limit === 0 || registered.taken < limit || registered.has(namespace, name);
  }

  /** Entities watched now and entities allowed; 0 for no limit. */
  entityAllowance(): { readonly count: number; readonly limit: number } {
    return { count: this.#parts.registered.size, limit: this.#entityLimit() };
  }

  // Clients of the earlier generation

  get clients(): Clients {
    return this.#parts.clients;
  }

  /**
   * Its incidents are resolved towards the pipelines, then everything of it goes. With `barMs` nothing it says meanwhile is
   * believed, nor for that long afterwards. False when there is no such client.
   */
  async deleteClient(name: string, { barMs }: { readonly barMs?: number } = {}): Promise<boolean> {
    const { clients } = this.#parts;
    const barred = barMs === undefined ? null : this.#nowMs() + maxDeletionMs + barMs;
    if (!(await clients.delete(name, barred))) return false;
    await this.#forgetClient(name);
    if (barMs !== undefined) await clients.bar(name, barMs === 0 ? null : this.#nowMs() + barMs);
    return true;
  }

  async #forgetClient(name: string): Promise<void> {
    const { tree, reader, announcements } = this.#parts;
    if (tree.entity(clientNamespace, name)?.entity_class === 'agent') return;
    const { items } = await reader.events({ namespace: clientNamespace, entity: name });
    const resolved = items.filter(({ check }) => check.status !== 0).map(resolvedByDeregistering);
    // Durable before the incidents go: a crash in between must not leave their handlers waiting for the end.
    await Promise.all(resolved.map((event) => awaitReceipt((receipt) => announcements.tell(event, receipt))));
    await this.#desk.delete(clientNamespace, name);
  }

  // Checks and sessions

  /**
   * Asks agents and clients to run a check now. `issued` is in Unix seconds; `attributes` go along in requests to clients.
   */
  async executeCheck(
    namespace: string,
    check: string,
    subscriptions: readonly string[] = [],
    attributes: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly issued: number; readonly warnings: readonly string[] }> {
    const config = this.#parts.configuration.check(namespace, check);
    if (config === undefined) throw new MonError('notFound');
    const warnings = await this.#obstacles(config, subscriptions);
    return { issued: this.#parts.executeNow(config, { subscriptions, attributes }), warnings };
  }

  /** Why a run reaches fewer agents than were meant. Rejects when it can reach none: a secret can't be resolved. */
  async #obstacles(config: CheckConfig, asked: readonly string[]): Promise<readonly string[]> {
    const { sessions, secrets } = this.#parts;
    const { secrets: references, metadata } = config;
    const { namespace = defaultNamespace } = metadata;
    if (references === null || references.length === 0) return [];
    await secrets.resolve(namespace, references).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      const isOutage = error instanceof MonError && error.kind === 'unavailable';
      throw new MonError(isOutage ? 'unavailable' : 'invalid', `the check was ${unresolvedMessage(why)}`, {
        cause: error,
      });
    });
    const untrusted = sessions.untrusted(namespace, asked.length === 0 ? config.subscriptions : asked);
    return untrusted.length === 0 ? [] : [untrustedMessage(untrusted)];
  }

  // Problems

  /** What can't work as it stands. */
  get problems(): ProblemBook {
    return this.#parts.problems.book;
  }

  /** Proxy checks whose entities are just being found out. */
  get proxyChecksMatching(): number {
    return this.#parts.requests.matching;
  }

  openSession(connection: Connection): OpenSession {
    return this.#parts.sessions.open(connection);
  }

  get sessions(): Sessions {
    return this.#parts.sessions;
  }

  // Health

  get pressure(): Pressure {
    return this.#parts.pressure;
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

  /** Figures of this moment, for people and for metrics. */
  gauges(): Readonly<Record<string, number>> {
    return gaugesOf(this.#parts, this.runtime, this.committer, this.resources);
  }

  #ask(id: string, fact: { readonly type: string }): Promise<void> {
    return awaitReceipt((receipt) => this.runtime.registry.tell(id, fact, receipt));
  }

  #nowMs(): number {
    return this.runtime.clock.wallMs();
  }
}
