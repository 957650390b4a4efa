// The port to the records of a cluster: its members and the leases of its shards. Reads may be stale: they only suggest what
// to do. What is decided is decided by compare-and-set on one document at a time, so no transactions are needed:
//
//   - A member's heartbeat and the declaration of its death are changes of the same document. A declaration names the beat
//     it was based on; after it no beat of that incarnation succeeds. Dead is for ever: a backend comes back as a new one.
//   - A lease changes hands only if its owner released it or is dead, and each taking adds 1 to its epoch.
//
// Every method may be applied although it rejects, may be applied late, and may be applied twice.

export interface ClusterMember {
  /** Unique for each start of a backend. */
  readonly incarnation: string;
  /** Kept over restarts; decides with the names of the others which shards are its share. */
  readonly name: string;
  /** Grows with every heartbeat. */
  readonly beat: number;
  readonly state: 'serving' | 'draining' | 'dead';
}

export interface ShardLease {
  readonly shard: number;
  /** The incarnation of its owner; empty if released. */
  readonly owner: string;
  /** 0 if nobody ever took it; such a lease need not be stored. */
  readonly epoch: number;
}

export interface LeaseStore {
  members(): Promise<readonly ClusterMember[]>;
  /** All that were ever taken. */
  leases(): Promise<readonly ShardLease[]>;
  join(member: ClusterMember): Promise<void>;
  /** Adds 1 to the beat. False if the member is dead or unknown; then it must not write any more. */
  beat(incarnation: string, state: 'serving' | 'draining'): Promise<boolean>;
  /** Makes each of them dead whose beat is still the same. One with the beat -1 never joined, and can't any more. */
  declareDead(members: readonly ClusterMember[]): Promise<void>;
  /** Says that this member is gone for ever. */
  leave(incarnation: string): Promise<void>;
  /** Takes each lease that is still as it was seen. */
  claim(incarnation: string, seen: readonly ShardLease[]): Promise<void>;
  /** Gives each lease back that still has this owner and epoch. */
  release(leases: readonly ShardLease[]): Promise<void>;
  /** Removes the records of members that have been dead for long. */
  forget(incarnations: readonly string[]): Promise<void>;
}
