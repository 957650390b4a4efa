// Opening what a backend is put together from: the runtime, the families, the one writer to its store, and the resources. What an operator or a test can choose is here too.
import type { KeyObject } from 'node:crypto';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import { GroupCommit } from '../durable/group-commit.ts';
import { setAsideIn } from '../durable/origin.ts';
import type { JobStepPorts } from '../families/job/job-steps.ts';
import { Families } from '../families/kit/families.ts';
import { openResources } from '../resources/open-resources.ts';
import type { ResourceTable } from '../resources/resource-table.ts';
import type { SharedRecords } from '../resources/shared-records.ts';
import { createRuntime, type Runtime } from '../runtime/runtime.ts';
import { type Clock, realClock } from '../runtime/time/clock.ts';
import type { BackendLog, Dependencies } from './dependencies.ts';

export interface BackendOptions
  extends Pick<
    Dependencies,
    | 'name'
    | 'deliveryWorkers'
    | 'env'
    | 'assets'
    | 'authorities'
    | 'entityBounds'
    | 'maxWaitingDeliveryBytes'
    | 'onCollapse'
    | 'elsewhere'
    | 'spans'
    | 'peers'
    | 'hosting'
  > {
  readonly store: SnapshotStore;
  /** Keys that are not in the store; see `openResources`. Without them nothing in it is sealed. */
  readonly encryptionKeys?: ((isStoreSealed: boolean) => readonly Uint8Array[]) | undefined;
  /** In a cluster: how configuration is written and what is read of it. */
  readonly shared?: SharedRecords | undefined;
  readonly log: BackendLog;
  /** Entities allowed without a licence; 0 for no limit. */
  readonly entityLimit: number;
  /** What licences are checked with. Without it none holds. */
  readonly licenseKey?: KeyObject | undefined;
  /** Handler of deregistration events of agents that name none; empty for none. */
  readonly deregistrationHandler: string;
  /** All time the actors know. Default: the real one; simulations bring their own. */
  readonly clock?: Clock;
  /** In [0, 1): jitter of back-offs. Default Math.random. */
  readonly random?: () => number;
  /** Why somebody may not do this, or null: asked for every event of a bulk job. Default: everybody may do everything. */
  readonly refusal?: JobStepPorts['refusal'];
  /** In place of the pipelines, for simulations that only want to know what would have been told to whom. */
  readonly runPipelines?: Dependencies['runPipelines'];
}

export interface Opened {
  readonly runtime: Runtime;
  readonly families: Families;
  readonly commit: GroupCommit;
  readonly table: ResourceTable;
  readonly secret: Uint8Array;
}

export const openDependencies = async (
  { log, store, shared, encryptionKeys, hosting, clock = realClock, random = Math.random }: BackendOptions,
  onShardLost: (shard: number) => void,
): Promise<Opened> => {
  const runtime = createRuntime({ log, clock, random });
  const commit = new GroupCommit({
    store,
    clock,
    onFault: (error) => log.error({ err: error }, 'a write to the store failed'),
    shards: hosting?.shards,
    onShardLost,
  });
  const families = new Families({
    commit,
    registry: runtime.registry,
    shards: hosting?.shards,
    supervisor: (id) => runtime.supervisor(id),
    nowMs: () => clock.wallMs(),
    setAside: setAsideIn(commit, (kind, key, error) =>
      log.error(
        { kind, key, err: error },
        'a record cannot be restored: it is set aside and its actor starts over',
      ),
    ),
  });
  const { table, secret } = await openResources({
    committer: commit,
    shared,
    encryptionKeys,
    onFault: (error) => log.error({ err: error }, 'a resource could not be used'),
    namespaceOccupant: (namespace) => firstEntity(commit, namespace),
  });
  return { runtime, families, commit, table, secret };
};

const firstEntity = async (commit: GroupCommit, namespace: string): Promise<string | undefined> => {
  for await (const { key } of commit.scan('entity', { prefix: `${namespace}/`, limit: 1 }))
    return `entity ${key}`;
  return undefined;
};
