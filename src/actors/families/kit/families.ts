// The families of a backend, bound to what their actors may reach, and their restore at boot.
import type { Entry, RecordKind, StoredRecord } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import type { ActorMessage, ChildSpec } from '../../runtime/contract.ts';
import type { Durable, Effect, Family } from './family.ts';
import { actorsOf, type FamilyActors, type FamilyHost, specOf } from './family-actors.ts';
import { rebuildBatch } from './limits.ts';
import { stopShard } from './place.ts';

/** Stored records of a kind whose keys begin with the prefix, in order of their keys. */
export type RecordSource = (kind: RecordKind, prefix?: string) => AsyncIterable<Entry>;

export interface RestoreOptions {
  readonly records: RecordSource;
  readonly commit: Pick<GroupCommit, 'seed'>;
  /** A record that no actor can be started from. It is left out; it never keeps the others from coming up. */
  readonly onBadRecord: (kind: RecordKind, key: string, error: unknown) => void;
}

type Restore = (key: string, record: StoredRecord) => void;

export class Families {
  readonly #host: FamilyHost;
  readonly #restores = new Map<string, Restore>();

  constructor(host: FamilyHost) {
    this.#host = host;
  }

  bind<TIdentity, TContext, TMessage extends ActorMessage, TEffect extends Effect, TPorts>(
    family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>,
    ports: TPorts,
  ): FamilyActors<TIdentity, TContext, TMessage> {
    const actors = actorsOf(family, ports, this.#host);
    const { durable } = family;
    if (durable !== undefined) {
      this.#restores.set(family.id, (key, record) => {
        const identity = durable.identityOf(key);
        actors.ensure(identity, record);
        family.restored?.(identity, record, ports);
      });
    }
    return actors;
  }

  /** The one actor of a family that stands below the root itself. */
  spec<TIdentity, TContext, TMessage extends ActorMessage, TEffect extends Effect, TPorts>(
    family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>,
    identity: TIdentity,
    ports: TPorts,
  ): ChildSpec {
    return specOf(family, identity, ports, this.#host);
  }

  /**
   * Every record of the durable families that `records` holds gets its actor back, family by family in the order of the table, in batches, so that
   * the loop keeps turning. Resolves with the number of actors of each family.
   */
  async restore(
    table: readonly Family[],
    options: RestoreOptions,
  ): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const family of table) {
      const { id, durable } = family;
      if (durable === undefined) continue;
      if (family.ports === 'none') this.bind(family, undefined);
      const restore = this.#restores.get(id);
      if (restore === undefined) throw new TypeError(`family ${id} keeps records, but was never bound`);
      counts[id] = await restoreRecords(durable, restore, options);
    }
    return counts;
  }

  /** Stops the actors about entities of a shard. Resolves once they are gone. */
  async stopEntities(table: readonly Family[], shard: number): Promise<void> {
    const places = new Map(
      table.map(({ supervise: { place } }) => [place.type === 'root' ? '' : place.id, place]),
    );
    await Promise.all(
      [...places.values()].map((place) =>
        place.type === 'partitioned' ? stopShard(place, shard, this.#host.supervisor) : undefined,
      ),
    );
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const restoreRecords = async (
  { kind, prefix }: Pick<Durable<unknown>, 'kind' | 'prefix'>,
  restore: Restore,
  { records, commit, onBadRecord }: RestoreOptions,
): Promise<number> => {
  let started = 0;
  for await (const { key, record } of records(kind, prefix)) {
    commit.seed(kind, key, record.rev);
    try {
      restore(key, record);
      started += 1;
    } catch (error) {
      onBadRecord(kind, key, error);
    }
    if (started % rebuildBatch === 0) await turn();
  }
  return started;
};
