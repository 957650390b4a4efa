// The messages and effects of the shard machine.

export interface ShardContext {
  readonly shard: number;
  /** The epoch of the last lease of this backend; 0 before the first. A lease that ended is never used again. */
  readonly epoch: number;
}

export type ShardFact =
  /** This backend asked the store for the lease. */
  | { readonly type: 'lease.claimed' }
  /** The store was read: who holds the lease. */
  | { readonly type: 'lease.seen'; readonly isMine: boolean; readonly epoch: number }
  | { readonly type: 'shard.loaded'; readonly epoch: number }
  | { readonly type: 'shard.loadFailed'; readonly epoch: number }
  /** Another member should own the shard, or this backend is about to stop. */
  | { readonly type: 'shard.unwanted' }
  /** Its actors are gone, and what they wanted to write is settled. */
  | { readonly type: 'shard.stopped'; readonly epoch: number }
  /** The other members declared this backend dead. */
  | { readonly type: 'member.lost' };

export type ShardEffect =
  /** Read the records and start the actors. */
  | { readonly type: 'shard.load'; readonly epoch: number }
  /** Stop the actors in order: commit what is under way, acknowledge it. */
  | { readonly type: 'shard.stop'; readonly epoch: number }
  /** Stop the actors at once: nothing they do counts any more. */
  | { readonly type: 'shard.drop'; readonly epoch: number };
