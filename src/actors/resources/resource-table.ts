// The resource table: everything an operator configures (checks, handlers, roles, users...), whole in memory.
// It stands beside the road of an event: schedules, pipelines and the access rules read it and watch it.
//
// One writer a key: writes to the same key queue up. Readers see a change only after its commit, so nobody acts on
// configuration that a crash could take back. A write that failed is put back to what was there before it.

import { alreadyExists, MonError } from '../../model/errors.ts';
import { pipelineRoleName } from '../../model/resource/seeds.ts';
import { Listeners } from '../runtime/listeners.ts';
import { type Committer, commitDelete, commitPut, type RecordBody } from './committer.ts';
import {
  deepFreeze,
  type ListQuery,
  parseStoreKey,
  type Resource,
  type ResourceChange,
  type ResourceCodec,
  type ResourceId,
  type ResourcePage,
  storeKey,
} from './resource.ts';
import { type ResourceBounds, ResourceBudget, resourceBounds } from './resource-budget.ts';
import { ResourceStore } from './resource-store.ts';
import { VaultError } from './vault.ts';
import { NamespaceGate, SerialQueues } from './write-order.ts';

export type {
  ListQuery,
  Resource,
  ResourceChange,
  ResourceCodec,
  ResourceId,
  ResourcePage,
} from './resource.ts';

const namespacesSegment = 'namespaces';
const recordVersion = 1;
/** Default resources of every namespace: created and deleted with it, so they do not make it occupied. */
const defaultSegments = ['rolebindings', 'roles'] as const;

const isDefaultResource = (segment: string, name: string): boolean =>
  name === pipelineRoleName && defaultSegments.some((one) => one === segment);

export interface ResourceTableOptions {
  readonly committer: Committer;
  readonly codecs?: Readonly<Record<string, ResourceCodec>>;
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
  readonly #queues = new SerialQueues();
  readonly #gate = new NamespaceGate((namespace) => this.hasNamespace(namespace));

  constructor(options: ResourceTableOptions) {
    this.#options = options;
    this.#budget = new ResourceBudget(options.bounds ?? resourceBounds);
  }

  /** Reads everything from the store. Call once, before anything else. A record that cannot be read is reported. */
  async load(): Promise<void> {
    const { committer, codecs, onFault } = this.#options;
    const outdated: ResourceId[] = [];
    for await (const { key, record } of committer.scan('resource')) {
      committer.seed('resource', key, record.rev);
      try {
        const { segment, namespace, name } = parseStoreKey(key);
        const found = codecs?.[segment]?.decode(record.state, name) ?? {
          name,
          resource: record.state as Resource,
        };
        this.#store(segment).set(namespace, found.name, deepFreeze(found.resource));
        if (codecs?.[segment]?.isCurrent?.(record.state) === false)
          outdated.push({ segment, namespace, name: found.name });
        this.#budget.set(storeKey(segment, namespace, found.name), sizeOf(found.resource));
      } catch (error) {
        if (error instanceof VaultError) throw error;
        onFault?.(new Error(`resource ${key} cannot be read back and is left out`, { cause: error }));
      }
    }
    await this.#rewrite(outdated);
  }

  /** Writes records again that an earlier version, or an earlier key, wrote. What can't be written now stays as it is. */
  async #rewrite(ids: readonly ResourceId[]): Promise<void> {
    const { committer, onFault } = this.#options;
    for (const id of ids) {
      const resource = this.get(id.segment, id.namespace, id.name);
      if (resource === undefined) continue;
      try {
        await commitPut(committer, 'resource', this.#storeKey(id), this.#body(id, resource));
      } catch (error) {
        const what = `${id.segment} ${id.name} stays in the store as it was: it could not be sealed`;
        onFault?.(new Error(what, { cause: error }));
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
    return this.#queues.run(laneOf(id), async () => {
      const current = this.get(id.segment, id.namespace, id.name);
      if (current !== undefined) check(current);
      return remove.call(this, id);
    });
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
      const [key, size] = [laneOf(id), sizeOf(resource)];
      const settle = this.#budget.take(id.segment, key, size, this.count(id.segment));
      await this.#commit(id, resource, previous).catch((error) => {
        settle(false);
        throw error;
      });
      this.#store(id.segment).set(id.namespace, id.name, resource);
      settle(true);
      this.#tell({ type: 'put', ...id, resource, previous });
      return { resource, previous };
    };
    return this.#queues.run(laneOf(id), () => this.#gate.inside(id.namespace, write));
  }

  async #commit(id: ResourceId, resource: Resource, previous: Resource | undefined): Promise<void> {
    const { committer } = this.#options;
    const key = this.#storeKey(id);
    try {
      await commitPut(committer, 'resource', key, this.#body(id, resource));
    } catch (error) {
      // The writer keeps trying failed keys with the newest value it was given: give it the old one.
      if (previous === undefined) committer.delete('resource', key);
      else committer.put('resource', key, () => this.#body(id, previous));
      throw error;
    }
  }

  async #remove(id: ResourceId): Promise<boolean> {
    const previous = this.get(id.segment, id.namespace, id.name);
    if (previous === undefined) return false;
    const { committer } = this.#options;
    const key = this.#storeKey(id);
    try {
      await commitDelete(committer, 'resource', key);
    } catch (error) {
      committer.put('resource', key, () => this.#body(id, previous));
      throw error;
    }
    this.#store(id.segment).delete(id.namespace, id.name);
    this.#budget.delete(laneOf(id));
    this.#tell({ type: 'deleted', ...id, previous });
    return true;
  }

  #removeNamespace(id: ResourceId): Promise<boolean> {
    return this.#gate.closed(id.name, async () => {
      if (!this.hasNamespace(id.name)) return false;
      const occupant = this.#occupant(id.name) ?? (await this.#options.namespaceOccupant?.(id.name));
      if (occupant !== undefined)
        throw new MonError(
          'conflict',
          `resource is invalid: namespace is not empty: ${id.name} holds ${occupant}; delete what is in it first`,
        );
      for (const segment of defaultSegments)
        await this.#remove({ segment, namespace: id.name, name: pipelineRoleName });
      return this.#remove(id);
    });
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

  #storeKey({ segment, namespace, name }: ResourceId): string {
    return storeKey(segment, namespace, this.#options.codecs?.[segment]?.storedName(name) ?? name);
  }

  #body({ segment, name }: ResourceId, resource: Resource): RecordBody {
    return {
      machine: `resource.${segment}`,
      version: recordVersion,
      deadlines: [],
      state: this.#options.codecs?.[segment]?.encode(resource, name) ?? resource,
    };
  }
}

const sizeOf = (resource: Resource): number => JSON.stringify(resource).length;

const laneOf = ({ segment, namespace, name }: ResourceId): string => storeKey(segment, namespace, name);
