// The records of a cluster in MongoDB: the collection `members`, a document for each start of a backend, and the collection
// `shards`, a document for each shard. Every change is a compare-and-set on one document, acknowledged by the majority, so no
// transactions are needed; how the changes fit together is written in src/cluster/lease-store.ts.
import type { ClusterMember, LeaseStore, ShardLease } from '../cluster/lease-store.ts';
import { isConflict, toStoreError } from './mongo-errors.ts';

export interface MemberDocument extends Omit<ClusterMember, 'incarnation'> {
  readonly _id: string;
}

export interface ShardDocument extends Omit<ShardLease, 'shard'> {
  /** The number of the shard. */
  readonly _id: string;
}

interface Change<TDocument> {
  readonly updateOne: {
    readonly filter: object;
    readonly update: { readonly $set?: Partial<TDocument>; readonly $inc?: { readonly beat: number } };
    readonly upsert?: boolean;
  };
}

/** The required methods of a MongoDB collection. */
interface LeaseCollection<TDocument> {
  find(filter: object): { toArray(): Promise<readonly TDocument[]> };
  insertOne(document: TDocument): Promise<unknown>;
  updateOne(
    filter: object,
    update: Change<TDocument>['updateOne']['update'],
  ): Promise<{ readonly matchedCount: number }>;
  bulkWrite(changes: readonly Change<TDocument>[], options: { readonly ordered: false }): Promise<unknown>;
  deleteMany(filter: object): Promise<unknown>;
}

export interface LeaseCollections {
  readonly members: LeaseCollection<MemberDocument>;
  readonly shards: LeaseCollection<ShardDocument>;
  /** The name of the database in messages. */
  readonly where: string;
  /** Rejects if a backend has the database for itself. Asked after a member has joined. */
  readonly refuseOwner?: () => Promise<void>;
}

const change = <TDocument>(filter: object, $set: Partial<TDocument>, upsert: boolean): Change<TDocument> => ({
  updateOne: { filter, update: { $set }, upsert },
});

/** All methods reject with StoreError; then the outcome is unknown. */
export const createMongoLeases = ({ members, shards, where, refuseOwner }: LeaseCollections): LeaseStore => {
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(where, error);
    }
  };
  /** A document that is no longer as it was seen is left as it is: its upsert conflicts with it. */
  const changeAll = async <TDocument>(
    collection: LeaseCollection<TDocument>,
    changes: readonly Change<TDocument>[],
  ): Promise<void> => {
    if (changes.length === 0) return;
    await ask(async () => {
      await collection.bulkWrite(changes, { ordered: false }).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
    });
  };
  return {
    members: () =>
      ask(async () => {
        const found = await members.find({}).toArray();
        return found.map(({ _id, name, beat, state }) => ({ incarnation: _id, name, beat, state }));
      }),
    leases: () =>
      ask(async () => {
        const found = await shards.find({}).toArray();
        return found.map(({ _id, owner, epoch }) => ({ shard: Number(_id), owner, epoch }));
      }),
    join: ({ incarnation, name, beat, state }) =>
      ask(async () => {
        await members.insertOne({ _id: incarnation, name, beat, state }).catch((error: unknown) => {
          // It was applied before, and its reply was lost.
          if (!isConflict(error)) throw error;
        });
        try {
          await refuseOwner?.();
        } catch (error) {
          await members.updateOne({ _id: incarnation }, { $set: { state: 'dead' } });
          throw error;
        }
      }),
    beat: (incarnation, state) =>
      ask(async () => {
        const alive = { _id: incarnation, state: { $ne: 'dead' } };
        const { matchedCount } = await members.updateOne(alive, { $set: { state }, $inc: { beat: 1 } });
        return matchedCount === 1;
      }),
    declareDead: (silent) =>
      changeAll(
        members,
        silent.map(({ incarnation, name, beat }) =>
          change<MemberDocument>({ _id: incarnation, beat }, { name, state: 'dead' }, beat === -1),
        ),
      ),
    leave: (incarnation) =>
      ask(async () => {
        await members.updateOne({ _id: incarnation }, { $set: { state: 'dead' } });
      }),
    claim: (incarnation, seen) =>
      changeAll(
        shards,
        seen.map(({ shard, owner, epoch }) =>
          change<ShardDocument>(
            { _id: `${shard}`, owner, epoch },
            { owner: incarnation, epoch: epoch + 1 },
            epoch === 0,
          ),
        ),
      ),
    release: (leases) =>
      changeAll(
        shards,
        leases.map(({ shard, owner, epoch }) =>
          change<ShardDocument>({ _id: `${shard}`, owner, epoch }, { owner: '' }, false),
        ),
      ),
    forget: (incarnations) =>
      ask(async () => {
        await members.deleteMany({ _id: { $in: [...incarnations] }, state: 'dead' });
      }),
  };
};
