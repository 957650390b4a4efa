// The resource table: everything an operator configures (checks, handlers, roles, users...), whole in memory.
// Events do not pass it: schedules, pipelines and the access rules read it and watch it.
//
// One writer a key: writes to the same key queue up. Readers see a change only after its commit, so nobody acts on
// configuration that a crash could take back. A write that failed is put back to what was there before it.
//
// In a cluster each backend holds the whole table. What another backend changed is read again (`readAgain`) and told to watchers
// as if it had been written here; a write that meets such a change reads it first and is decided again.

import { alreadyExists, MonError } from '../../model/errors.ts';
import { pipelineRoleName } from '../../model/resource/seeds.ts';
import { Listeners } from '../runtime/listeners.ts';
import type { Committer } from './committer.ts';
import { maxWriteTries } from './limits.ts';
import { OwnRecords, type RecordWriter } from './record-writer.ts';
import {
  deepFreeze,
  type ListQuery,
  type Resource,
  type ResourceChange,
  type ResourceId,
  type ResourcePage,
  storeKey,
} from './resource.ts';
import { type ResourceBounds, ResourceBudget, resourceBounds } from './resource-budget.ts';
import { ResourceStore } from './resource-store.ts';
import type { SharedRecords } from './shared-records.ts';
import { type ResourceCodecs, StoredForm } from './stored-form.ts';
import { VaultError } from './vault.ts';
import { NamespaceGate, noNamespace, SerialQueues } from './write-order.ts';

export type {
  ListQuery,
  Resource,
  ResourceChange,
  ResourceCodec,
  ResourceId,
  ResourcePage,
} from './resource.ts';

const namespacesSegment = 'namespaces';
/** Default resources of every namespace: created and deleted with it, so they do not make it occupied. */
const defaultSegments = ['rolebindings', 'roles'] as const;

const isDefaultResource = (segment: string, name: string): boolean =>
  name === pipelineRoleName && defaultSegments.some((one) => one === segment);

export interface ResourceTableOptions {
  readonly committer: Committer;
  /** In place of the committer where several backends write. */
  readonly shared?: SharedRecords | undefined;
  readonly codecs?: ResourceCodecs;
  /** Names something outside this table that lives in a namespace (`entity web-01`), or undefined. */
  readonly namespaceOccupant?: (namespace: string) => string | undefined | Promise<string | undefined>;
  /** How much is kept; see `limits.ts`. */
  readonly bounds?: ResourceBounds;
  /** Told about a listener that threw and about records that could not be read at boot. */
  readonly onFault?: (error: Error) => void;
}

export class ResourceTable {
  readonly #options: ResourceTableOptions;
  readonly #stores = new Map<string, ResourceStore>();
  readonly #watchers = new Map<string, Listeners<[change: ResourceChange]>>();
  readonly #budget: ResourceBudget;
  /** By store key. */
  readonly #queues = new SerialQueues();
  readonly #records: RecordWriter;
  readonly #form: StoredForm;
  readonly #gate = new NamespaceGate((namespace) => this.hasNamespace(namespace));

  constructor(options: ResourceTableOptions) {
    this.#options = options;
    this.#budget = new ResourceBudget(options.bounds ?? resourceBounds);
    this.#form = new StoredForm(options.codecs);
    this.#records = options.shared ?? new OwnRecords(options.committer);
  }

  /** Reads everything from the store. Call once, before anything else. A record that cannot be read is reported. */
  async load(): Promise<void> {
    const outdated: ResourceId[] = [];
    for await (const { key, record } of this.#records.scan('resource')) {
      const found = this.#decoded(key, record.state);
      if (found === undefined) continue;
      this.#keep(found.id, found.resource);
      if (!found.isCurrent) outdated.push(found.id);
    }
    await this.#rewrite(outdated);
  }

  /** Reads records that other backends wrote or deleted, by store key. Rejects with a MonError when the store is away. */
  async readAgain(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#queues.run(key, () => this.#readAgain(key));
  }

  /** Reads whatever is stored differently from what is here. */
  async readAllAgain(): Promise<void> {
    const { shared } = this.#options;
    if (shared !== undefined) await this.readAgain(await shared.outdated('resource'));
  }

  /** In its turn of the queue of the key. */
  async #readAgain(key: string): Promise<void> {
    const { shared } = this.#options;
    if (shared === undefined) return;
    const of = { kind: 'resource', key } as const;
    const before = shared.rev(of);
    const record = await shared.read(of);
    if (shared.rev(of) === before) return;
    if (record === undefined) return this.#forget(key);
    const found = this.#decoded(key, record.state);
    if (found === undefined) return;
    const { id, resource } = found;
    const previous = this.get(id.segment, id.namespace, id.name);
    this.#keep(id, resource);
    this.#tell({ type: 'put', ...id, resource, previous });
  }

  #forget(key: string): void {
    const id = this.#form.idOf(key);
    const previous = this.get(id.segment, id.namespace, id.name);
    if (previous === undefined) return;
    this.#drop(id);
    this.#tell({ type: 'deleted', ...id, previous });
  }

  /** Undefined, and reported, for a record that can't be read. Throws a VaultError where a key is missing. */
  #decoded(key: string, state: unknown): ReturnType<StoredForm['decode']> | undefined {
    try {
      return this.#form.decode(key, state);
    } catch (error) {
      if (error instanceof VaultError) throw error;
      const what = `resource ${key} cannot be read back and is left out`;
      this.#options.onFault?.(new Error(what, { cause: error }));
      return undefined;
    }
  }

  #keep(id: ResourceId, resource: Resource): void {
    this.#form.remember(id);
    this.#store(id.segment).set(id.namespace, id.name, resource);
    this.#budget.set(laneOf(id), sizeOf(resource));
  }

  #drop(id: ResourceId): void {
    this.#form.forget(id);
    this.#store(id.segment).delete(id.namespace, id.name);
    this.#budget.delete(laneOf(id));
  }

  /** Writes records again that an earlier version, or an earlier key, wrote. What can't be written now stays as it is. */
  async #rewrite(ids: readonly ResourceId[]): Promise<void> {
    for (const id of ids) {
      const resource = this.get(id.segment, id.namespace, id.name);
      if (resource === undefined) continue;
      try {
        await this.#commit(id, resource, resource);
      } catch (error) {
        const what = `${id.segment} ${id.name} stays in the store as it was: it could not be sealed`;
        this.#options.onFault?.(new Error(what, { cause: error }));
      }
    }
  }

  get(segment: string, namespace: string, name: string): Resource | undefined {
    return this.#stores.get(segment)?.get(namespace, name);
  }

  hasNamespace(namespace: string): boolean {
    return this.get(namespacesSegment, '', namespace) !== undefined;
  }

  /** All resources, and their bytes as JSON. */
  get kept(): { readonly count: number; readonly bytes: number } {
    return { count: this.#budget.count, bytes: this.#budget.bytes };
  }

  /** Number of resources of a kind. */
  count(segment: string): number {
    return this.#stores.get(segment)?.size ?? 0;
  }

  /** Resources in order of namespace and name. Reads on until `limit` matching ones are found. */
  list(segment: string, query: ListQuery = {}): ResourcePage {
    return this.#store(segment).list(query);
  }

  /** Rejects with `alreadyExists`, `notFound` (no such namespace), `storeFull` or `unavailable`. */
  async create(id: ResourceId, resource: Resource): Promise<void> {
    await this.#write(id, (current) => {
      if (current !== undefined) throw alreadyExists(id);
      return resource;
    });
  }

  /** Reads, decides what is to be there, and writes it as one step, whether or not there was something. */
  replace(id: ResourceId, next: (current: Resource | undefined) => Resource): Promise<Resource> {
    return this.#write(id, next).then(({ resource }) => resource);
  }

  /** Creates or replaces. */
  put(id: ResourceId, resource: Resource): Promise<{ created: boolean }> {
    return this.#write(id, () => resource).then(({ previous }) => ({ created: previous === undefined }));
  }

  /** Reads, changes and writes as one step. Rejects with `notFound` when there is nothing to change. */
  update(id: ResourceId, change: (current: Resource) => Resource): Promise<Resource> {
    return this.#write(id, (current) => {
      if (current === undefined) throw new MonError('notFound');
      return change(current);
    }).then(({ resource }) => resource);
  }

  /**
   * Resolves false when there was nothing. A namespace must be empty: rejects with `conflict`.
   * `check` may throw in the same step, before anything is removed.
   */
  delete(id: ResourceId, check: (current: Resource) => void = () => {}): Promise<boolean> {
    const remove = id.segment === namespacesSegment ? this.#removeNamespace : this.#remove;
    return this.#inTurn(id, () => remove.call(this, id, check));
  }

  /** Calls the listener after every committed change of a kind. Returns how to stop. */
  watch(segment: string, listener: (change: ResourceChange) => void): () => void {
    let listeners = this.#watchers.get(segment);
    if (listeners === undefined) {
      const failed = (cause: unknown) =>
        this.#options.onFault?.(new Error(`a watcher of ${segment} failed`, { cause }));
      listeners = new Listeners(failed);
      this.#watchers.set(segment, listeners);
    }
    return listeners.add(listener);
  }

  #write(
    id: ResourceId,
    next: (current: Resource | undefined) => Resource,
  ): Promise<{ resource: Resource; previous: Resource | undefined }> {
    const write = async () => {
      const previous = this.get(id.segment, id.namespace, id.name);
      const resource = deepFreeze(next(previous));
      const settle = this.#budget.take(id.segment, laneOf(id), sizeOf(resource), this.count(id.segment));
      const isWritten = await this.#commit(id, resource, previous).catch((error) => {
        settle(false);
        throw error;
      });
      const isAdrift = isWritten && previous === undefined && (await this.#isAdrift(id));
      if (!isWritten || isAdrift) settle(false);
      if (!isWritten) return undefined;
      if (isAdrift) throw noNamespace(id.namespace);
      this.#keep(id, resource);
      settle(true);
      this.#tell({ type: 'put', ...id, resource, previous });
      return { resource, previous };
    };
    return this.#inTurn(id, () => this.#gate.inside(id.namespace, write));
  }

  /**
   * True if another backend deleted the namespace while something was created in it; then that is deleted again. The other one
   * looks for what is in the namespace after it has deleted it, so one of the two finds the other.
   */
  async #isAdrift(id: ResourceId): Promise<boolean> {
    const { shared } = this.#options;
    if (shared === undefined || id.namespace === '') return false;
    const created = { kind: 'resource', key: this.#form.keyOf(id) } as const;
    const namespace = storeKey(namespacesSegment, '', id.namespace);
    try {
      if (await shared.isStored({ kind: 'resource', key: namespace })) return false;
      await shared.write({ ...created, body: undefined });
      return true;
    } catch (error) {
      shared.doubt(created);
      throw error;
    }
  }

  /** One after the other for each key. Work that resolves to undefined met a change of another backend and is done again. */
  #inTurn<T>(id: ResourceId, work: () => Promise<T | undefined>): Promise<T> {
    const key = this.#form.keyOf(id);
    return this.#queues.run(key, async () => {
      for (let tries = 0; tries < maxWriteTries; tries += 1) {
        const result = await work();
        if (result !== undefined) return result;
        await this.#readAgain(key);
      }
      throw new MonError(
        'unavailable',
        `other backends keep changing ${id.segment} ${id.name} at the same time: try again`,
      );
    });
  }

  /** False if another backend changed the record meanwhile. */
  #commit(id: ResourceId, resource: Resource | undefined, previous: Resource | undefined): Promise<boolean> {
    const body = (one: Resource | undefined) => (one === undefined ? undefined : this.#form.body(id, one));
    return this.#records.write({
      kind: 'resource',
      key: this.#form.keyOf(id),
      body: body(resource),
      before: body(previous),
    });
  }

  /** Undefined if another backend changed the record meanwhile. */
  async #remove(id: ResourceId, check: (current: Resource) => void = () => {}): Promise<boolean | undefined> {
    const previous = this.get(id.segment, id.namespace, id.name);
    if (previous === undefined) return false;
    check(previous);
    if (!(await this.#commit(id, undefined, previous))) return undefined;
    this.#drop(id);
    this.#tell({ type: 'deleted', ...id, previous });
    return true;
  }

  #removeNamespace(id: ResourceId, check: (current: Resource) => void): Promise<boolean | undefined> {
    return this.#gate.closed(id.name, async () => {
      const current = this.get(id.segment, '', id.name);
      if (current === undefined) return false;
      check(current);
      await this.#readOthers(id);
      const occupant = this.#occupant(id.name) ?? (await this.#options.namespaceOccupant?.(id.name));
      if (occupant !== undefined) throw notEmpty(id.name, occupant);
      if (this.#options.shared !== undefined) return this.#removeSharedNamespace(id, current);
      await this.#removeDefaults(id.name);
      return this.#remove(id);
    });
  }

  async #removeDefaults(namespace: string): Promise<void> {
    for (const segment of defaultSegments) {
      const seeded = { segment, namespace, name: pipelineRoleName };
      await this.#inTurn(seeded, () => this.#remove(seeded));
    }
  }

  /** What other backends changed, but for the resource whose turn it is. */
  async #readOthers(id: ResourceId): Promise<void> {
    const own = this.#form.keyOf(id);
    const outdated = (await this.#options.shared?.outdated('resource')) ?? [];
    await this.readAgain(outdated.filter((key) => key !== own));
  }

  /** Other backends may be creating something in it: it is looked for once nothing more can be created. */
  async #removeSharedNamespace(id: ResourceId, current: Resource): Promise<boolean | undefined> {
    if ((await this.#remove(id)) === undefined) return undefined;
    await this.#readOthers(id);
    const occupant = this.#occupant(id.name) ?? (await this.#options.namespaceOccupant?.(id.name));
    if (occupant === undefined) {
      await this.#removeDefaults(id.name);
      return true;
    }
    if (!(await this.#commit(id, current, undefined))) return undefined;
    this.#keep(id, current);
    this.#tell({ type: 'put', ...id, resource: current, previous: undefined });
    throw notEmpty(id.name, occupant);
  }

  #occupant(namespace: string): string | undefined {
    if (this.#gate.hasWriters(namespace)) return 'a resource that is just being written';
    for (const [segment, store] of this.#stores)
      for (const name of store.namesIn(namespace))
        if (!isDefaultResource(segment, name)) return `${segment} ${name}`;
    return undefined;
  }

  #tell(change: ResourceChange): void {
    this.#watchers.get(change.segment)?.tell(change);
  }

  #store(segment: string): ResourceStore {
    const store = this.#stores.get(segment) ?? new ResourceStore();
    this.#stores.set(segment, store);
    return store;
  }
}

const notEmpty = (namespace: string, occupant: string): MonError =>
  new MonError(
    'conflict',
    `resource is invalid: namespace is not empty: ${namespace} holds ${occupant}; delete what is in it first`,
  );

const sizeOf = (resource: Resource): number => JSON.stringify(resource).length;

const laneOf = ({ segment, namespace, name }: ResourceId): string => storeKey(segment, namespace, name);
