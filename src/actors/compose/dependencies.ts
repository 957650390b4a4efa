// Dependencies: what a backend is put together from.
import type { TrustedAuthorities } from '../../model/access/trusted-authorities.ts';
import type { SharedStore } from '../../store/record-fence.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import type { HostedShards } from '../durable/hosted-shards.ts';
import type { Elsewhere } from '../elsewhere.ts';
import type { EventSpans } from '../event-spans.ts';
import type { BootPorts } from '../families/boot/boot-family.ts';
import type { EntityBounds } from '../families/entity/limits.ts';
import type { Families } from '../families/kit/families.ts';
import type { PipelinesPorts } from '../pipelines/pipelines.ts';
import type { RuntimeAssetsPorts } from '../pipelines/runtime-assets.ts';
import type { Peers } from '../reach/peers.ts';
import type { ResourceTable } from '../resources/resource-table.ts';
import type { RuntimeLog } from '../runtime/inspection/facts.ts';
import type { Runtime } from '../runtime/runtime.ts';

export interface BackendLog extends RuntimeLog {
  debug(fields: object, text: string): void;
}

/** What a backend of a cluster is told about its shards. */
export interface ShardHosting {
  /** Written by the backend as shards come and go; read by whoever asks where something is. */
  readonly shards: HostedShards;
  readonly records: Pick<SharedStore, 'scanShard' | 'assignShards'>;
  /** A write was refused: another backend owns the shard. It is not served here any more; the leases are to be read now. */
  readonly onStale: (shard: number) => void;
}

export interface Dependencies {
  readonly runtime: Runtime;
  readonly families: Families;
  readonly commit: GroupCommit;
  readonly table: ResourceTable;
  readonly log: BackendLog;
  readonly deliveryWorkers: number;
  /** What pipe handlers and mutators start from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where runtime assets are kept, and what they are chosen for. Absent: definitions that name some can't run. */
  readonly assets?: Pick<RuntimeAssetsPorts, 'store' | 'entity'>;
  /** Whom to trust when fetching secrets; absent: whom the runtime trusts. */
  readonly authorities?: TrustedAuthorities;
  /** In place of the pipelines; see BackendOptions. */
  readonly runPipelines?: PipelinesPorts['run'];
  /** Name of this backend among its peers. */
  readonly name: string;
  /** In a cluster: where entities live that are not here. Absent: all of them live here. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Distributed tracing; absent: none. */
  readonly spans?: EventSpans | undefined;
  /** In a cluster: the other backends. */
  readonly peers?: Peers | undefined;
  /** In a cluster: which shards this backend hosts. Absent: everything, at no cost. */
  readonly hosting?: ShardHosting | undefined;
  /** The steps of this backend, from its start to its stop. */
  readonly boot: BootPorts;
  /** The tree gave up. */
  readonly onCollapse: () => void;
  /** How much one entity may hold, where it is not what `entityBounds` says. */
  readonly entityBounds?: Partial<EntityBounds> | undefined;
  /** Bytes that may wait to be delivered in all, where it is not `maxAllWaitingDeliveryBytes`. */
  readonly maxWaitingDeliveryBytes?: number | undefined;
  /** Whether one more entity may come to be. */
  readonly admitsEntity: (namespace: string, name: string) => boolean;
  /** An entity asked to be removed when it fell silent. */
  readonly deregister: (namespace: string, name: string) => Promise<void>;
  /** A client of the earlier generation, with all that is known of it. */
  readonly deleteClient: (name: string) => Promise<unknown>;
}
