// A world whose backend hosts only the shards it is told to: as a member of a cluster does, on a store of its own.
import { HostedShards } from '../../../src/actors/durable/hosted-shards.ts';
import { shardOfRecord } from '../../../src/actors/durable/record-shard.ts';
import { type MemoryDisk, MemoryStore } from '../../../src/store/memory-store.ts';
import type { SharedStore } from '../../../src/store/record-fence.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import { World, type WorldOptions } from './world.ts';

export interface ShardedWorld {
  readonly world: World;
  readonly shards: HostedShards;
  /** Shards of which a write was refused. */
  readonly stale: number[];
  load(shard: number, epoch?: number): Promise<void>;
  stop(shard: number, epoch?: number): Promise<void>;
  drop(shard: number, epoch?: number): Promise<void>;
}

/** What a store that several backends share can do more, on one that does not share. */
const recordsOf = (store: () => SnapshotStore): Pick<SharedStore, 'scanShard' | 'assignShards'> => ({
  async *scanShard(kind, shard) {
    for await (const entry of store().scan(kind)) if (shardOfRecord(kind, entry.key) === shard) yield entry;
  },
  assignShards: async () => 0,
});

export const openSharded = async (
  options: WorldOptions & { readonly disk?: MemoryDisk } = {},
): Promise<ShardedWorld> => {
  const shards = new HostedShards();
  const stale: number[] = [];
  const { disk, ...rest } = options;
  const world: World = await World.open({
    ...rest,
    ...(disk === undefined ? {} : { store: () => new MemoryStore({ disk }) }),
    hosting: { shards, records: recordsOf(() => world.store), onStale: (shard) => stale.push(shard) },
  });
  const host = () => {
    const found = world.backend.shards;
    if (found === undefined) throw new Error('the backend hosts everything');
    return found;
  };
  return {
    world,
    shards,
    stale,
    load: (shard, epoch = 1) => world.drive(host().load(shard, epoch)),
    stop: (shard, epoch = 1) => world.drive(host().stop(shard, epoch)),
    drop: (shard, epoch = 1) => world.drive(host().drop(shard, epoch)),
  };
};
