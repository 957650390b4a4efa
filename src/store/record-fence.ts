// Fencing of records when several backends write to one store: each write of a record that belongs to a shard carries the epoch
// of the shard's lease. Order of writes is by epoch first, then by revision, so a write of an earlier owner that arrives late
// never replaces what a later owner wrote, whatever its revision is.
import type { LeaseStore } from '../cluster/lease-store.ts';
import type { MaintainedStore } from './maintained-store.ts';
import type { Entry, RecordKind, StoredRecord } from './snapshot-store.ts';

export interface Lease {
  readonly shard: number;
  /** One more with each taking. */
  readonly epoch: number;
}

export interface RecordFence {
  /**
   * The lease under which this backend writes a record; `foreign` if another owns its shard; undefined for records that
   * belong to no shard, such as configuration, which are ordered by revision alone.
   */
  leaseOf(kind: RecordKind, key: string): Lease | 'foreign' | undefined;
  /** Still held, so that what was written under it may be acknowledged. */
  holds(lease: Lease): boolean;
  /** False if this backend may have been replaced without knowing. */
  isFresh(): boolean;
  /** Resolves once it is fresh; rejects if it was replaced. */
  confirm(): Promise<void>;
}

/** Matches a record that this write may replace. Records from before the cluster have no epoch. */
export const olderThan = (key: string, rev: number, lease: Lease | undefined) =>
  lease === undefined
    ? { _id: key, rev: { $lt: rev } }
    : {
        _id: key,
        $or: [{ epoch: null }, { epoch: { $lt: lease.epoch } }, { epoch: lease.epoch, rev: { $lt: rev } }],
      };

/** What kept a write from matching: a later owner, or an earlier write of the same lease whose answer was lost. */
export const writtenBy = (epoch: unknown, lease: Lease): 'later' | 'same' | 'earlier' => {
  if (typeof epoch !== 'number' || epoch < lease.epoch) return 'earlier';
  return epoch === lease.epoch ? 'same' : 'later';
};

/** A store that several backends share. */
export interface SharedStore extends MaintainedStore {
  /** The members of the cluster and the leases of its shards. */
  readonly leases: LeaseStore;
  /** From now on records are written under leases. */
  fenceWith(fence: RecordFence): void;
  /** The records of one shard, in order of their keys. Finds what `assignShards` or a fenced write gave a shard. */
  scanShard(kind: RecordKind, shard: number): AsyncIterable<Entry>;
  /**
   * Compare-and-set of a record that belongs to no shard: writes it, or deletes it without `record`, if the stored revision still is
   * `seenRev`; 0: no record. False if it is another one. Rejects with a StoreError if the outcome is unknown.
   */
  replace(kind: RecordKind, key: string, seenRev: number, record: StoredRecord | undefined): Promise<boolean>;
  /**
   * Gives a shard to each record without one, as a single backend leaves them, unless it belongs to none. Resolves to the number
   * of those that were given one.
   */
  assignShards(kind: RecordKind, shardOf: (key: string) => number | undefined): Promise<number>;
}
