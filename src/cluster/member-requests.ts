// What a cluster member asks of the lease store and what it wants done, as data.
import type { ClusterMember, ShardLease } from './lease-store.ts';

/** A moment by the clocks of one process, in milliseconds. */
export interface Instant {
  /** Monotonic. */
  readonly ms: number;
  /** Compared with earlier readings of the same clock only. */
  readonly wallMs: number;
}

export type MemberRequest =
  | { readonly type: 'join'; readonly member: ClusterMember }
  | { readonly type: 'beat'; readonly incarnation: string; readonly state: 'serving' | 'draining' }
  | { readonly type: 'leave'; readonly incarnation: string }
  /** The leases first, then the members: an owner joined before it took its first lease. */
  | { readonly type: 'read' }
  | { readonly type: 'declareDead'; readonly members: readonly ClusterMember[] }
  | { readonly type: 'claim'; readonly incarnation: string; readonly seen: readonly ShardLease[] }
  | { readonly type: 'release'; readonly leases: readonly ShardLease[] }
  | { readonly type: 'forget'; readonly incarnations: readonly string[] };

export type MemberReply =
  | { readonly type: 'done' }
  | { readonly type: 'beat'; readonly isAlive: boolean }
  | {
      readonly type: 'read';
      readonly leases: readonly ShardLease[];
      readonly members: readonly ClusterMember[];
    }
  /** It may have taken effect, and may still do. */
  | { readonly type: 'failed' };

export type MemberEffect =
  /** To be answered once, by its id. */
  | { readonly type: 'send'; readonly id: number; readonly request: MemberRequest }
  /** To be answered with `shard.loaded` or `shard.loadFailed`. */
  | { readonly type: 'shard.load'; readonly shard: number; readonly epoch: number }
  /** Both to be answered with `shard.stopped`. */
  | { readonly type: 'shard.stop'; readonly shard: number; readonly epoch: number }
  | { readonly type: 'shard.drop'; readonly shard: number; readonly epoch: number }
  /** Tell the others that it is worth reading the leases now. May be lost. */
  | { readonly type: 'poke' }
  /** The others declared this backend dead: it has to end, and may come back as a new incarnation. */
  | { readonly type: 'lost' }
  /** Everything was handed over after `drain`. */
  | { readonly type: 'left' };
