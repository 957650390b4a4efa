// Which shards this backend hosts, and under which epochs of their leases. One object is asked by the way in (is this entity
// here?), by the writer to the store (may this record be written?), and by the fence of the store (under which lease?).
import { shardCount } from '../../cluster/limits.ts';
import type { Lease } from '../../store/record-fence.ts';
import type { RecordKind } from '../../store/snapshot-store.ts';
import { shardOfRecord } from './record-shard.ts';

/**
 *  loading   its actors come up and may write; no message from outside is taken
 *  open      messages are taken
 *  closing   its actors finish what they have and may write
 *  dropped   its actors are stopped, and nothing of it is written
 */
type Phase = 'loading' | 'open' | 'closing' | 'dropped';

interface Hosted {
  readonly epoch: number;
  readonly phase: Phase;
}

export class HostedShards {
  /** By shard, so that asking costs one look. */
  readonly #hosted: (Hosted | undefined)[] = Array.from({ length: shardCount }, () => undefined);

  /** Whether messages for entities and check definitions of the shard are taken here. */
  isMine(shard: number): boolean {
    return this.#hosted[shard]?.phase === 'open';
  }

  /** Under which its records are written; undefined when they are not written here. */
  epochOf(shard: number): number | undefined {
    const hosted = this.#hosted[shard];
    return hosted === undefined || hosted.phase === 'dropped' ? undefined : hosted.epoch;
  }

  /** For the fence of the store; see `RecordFence`. */
  leaseOf(kind: RecordKind, key: string): Lease | 'foreign' | undefined {
    const shard = shardOfRecord(kind, key);
    if (shard === undefined) return undefined;
    const epoch = this.epochOf(shard);
    return epoch === undefined ? 'foreign' : { shard, epoch };
  }

  /** Whether a record is written here; true for those of no shard, such as configuration. */
  writes(kind: RecordKind, key: string): boolean {
    const shard = shardOfRecord(kind, key);
    return shard === undefined || this.epochOf(shard) !== undefined;
  }

  /** Those that are open, in order. */
  open(): readonly number[] {
    return this.#hosted.flatMap((hosted, shard) => (hosted?.phase === 'open' ? [shard] : []));
  }

  phaseOf(shard: number): Phase | undefined {
    return this.#hosted[shard]?.phase;
  }

  enter(shard: number, phase: Phase, epoch: number): void {
    this.#hosted[shard] = { epoch, phase };
  }

  leave(shard: number): void {
    this.#hosted[shard] = undefined;
  }
}
