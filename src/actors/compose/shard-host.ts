// Brings the shards of a backend up and down while it runs: `member-runner.ts` says when. A shard is all records that belong to
// the entities and check definitions whose keys hash to its number, and the actors that come up from them.
//
//   load   its records are read, its actors come up with what is left of their waits; then messages are taken
//   stop   no message is taken; its actors stop, what they wrote is stored; then everything of it is forgotten
//   drop   nothing more is written, those who wait are told; its actors stop; then everything of it is forgotten
import type { ShardHost } from '../../cluster/member-runner.ts';
import { MonError } from '../../model/errors.ts';
import type { Entry, RecordKind } from '../../store/snapshot-store.ts';
import { shardedKinds, shardOfRecord } from '../durable/record-shard.ts';
import type { RecordSource } from '../families/kit/families.ts';
import { families as familyTable } from '../families/table.ts';
import type { ShardHosting } from './dependencies.ts';
import { type RestorePorts, restoreRecords } from './restore.ts';
import type { Services } from './services.ts';

/** A part of the backend that keeps actors of a shard outside of the tree of entities. */
export interface ShardPart {
  /** The shard is open. */
  load(shard: number): void;
  /** Resolves once its actors are gone. */
  unload(shard: number): Promise<void>;
}

export interface ShardHostPorts extends RestorePorts {
  readonly hosting: ShardHosting;
  readonly services: RestorePorts['services'] & Pick<Services, 'registered'>;
  readonly parts: readonly ShardPart[];
  readonly onFault: (what: string, error: unknown) => void;
}

interface Hosted {
  readonly epoch: number;
  /** An earlier hosting of the shard is over, and records are read. */
  hasBegun: boolean;
  /** Settled once nothing is read for it any more. */
  loading: Promise<unknown>;
  /** Since it is stopped or dropped: resolves once it is gone. */
  ending: Promise<void> | undefined;
}

export class BackendShardHost implements ShardHost {
  readonly #ports: ShardHostPorts;
  readonly #hosted = new Map<number, Hosted>();
  #assigned: Promise<void> | undefined;

  constructor(ports: ShardHostPorts) {
    this.#ports = ports;
  }

  async load(shard: number, epoch: number): Promise<void> {
    const before = this.#hosted.get(shard);
    if (before !== undefined && before.ending === undefined)
      throw new MonError('conflict', `shard ${shard} is on this backend already`);
    const hosted: Hosted = { epoch, hasBegun: false, loading: Promise.resolve(), ending: undefined };
    // Before anything is awaited, so that a stop that follows at once finds it.
    this.#hosted.set(shard, hosted);
    const loading = this.#restore(shard, hosted, before?.ending);
    hosted.loading = loading.catch(() => {});
    try {
      await loading;
      if (hosted.ending !== undefined) throw ended(shard);
    } catch (error) {
      // What came up of it is taken down before the lease goes back.
      await this.drop(shard, epoch);
      throw error;
    }
    this.#ports.hosting.shards.enter(shard, 'open', epoch);
    for (const part of this.#ports.parts) part.load(shard);
  }

  async stop(shard: number, epoch: number): Promise<void> {
    const hosted = this.#of(shard, epoch);
    if (hosted === undefined) return;
    hosted.ending ??= this.#stop(shard, hosted);
    await hosted.ending;
  }

  async drop(shard: number, epoch: number): Promise<void> {
    const hosted = this.#of(shard, epoch);
    if (hosted === undefined) return;
    // Also while it is being stopped: what waits for the store then waits for nothing.
    this.#abandon(shard, hosted);
    hosted.ending ??= this.#forget(shard, hosted);
    await hosted.ending;
  }

  /** A write was refused, since another backend owns the shard: it is dropped before the leases are read. */
  lost(shard: number): void {
    const hosted = this.#hosted.get(shard);
    if (hosted === undefined) return;
    const { hosting, onFault } = this.#ports;
    this.drop(shard, hosted.epoch).catch((error: unknown) => onFault(`dropping shard ${shard}`, error));
    hosting.onStale(shard);
  }

  #of(shard: number, epoch: number): Hosted | undefined {
    const hosted = this.#hosted.get(shard);
    return hosted?.epoch === epoch ? hosted : undefined;
  }

  async #restore(shard: number, hosted: Hosted, before: Promise<void> | undefined): Promise<void> {
    await before;
    await this.#assign();
    if (hosted.ending !== undefined) throw ended(shard);
    const { hosting, commit } = this.#ports;
    hosting.shards.enter(shard, 'loading', hosted.epoch);
    hosted.hasBegun = true;
    const scan = readAhead((kind) => hosting.records.scanShard(kind, shard));
    const entriesOf = async function* (kind: RecordKind, prefix = ''): AsyncIterable<Entry> {
      for await (const entry of scan(kind)) {
        if (hosted.ending !== undefined) throw ended(shard);
        if (!entry.key.startsWith(prefix)) continue;
        commit.seed(kind, entry.key, entry.record.rev);
        yield entry;
      }
      if (hosted.ending !== undefined) throw ended(shard);
    };
    await restoreRecords(this.#ports, entriesOf satisfies RecordSource);
  }

  /** Records of a backend that was alone name no shard: they are given one, once. */
  #assign(): Promise<void> {
    this.#assigned ??= this.#assignAll().catch((error: unknown) => {
      this.#assigned = undefined;
      throw error;
    });
    return this.#assigned;
  }

  async #assignAll(): Promise<void> {
    const { hosting } = this.#ports;
    for (const kind of shardedKinds)
      await hosting.records.assignShards(kind, (key) => shardOfRecord(kind, key));
  }

  async #stop(shard: number, hosted: Hosted): Promise<void> {
    const { hosting, commit } = this.#ports;
    if (hosted.hasBegun) hosting.shards.enter(shard, 'closing', hosted.epoch);
    await hosted.loading;
    await this.#stopActors(shard);
    await commit.settleShard(shard);
    this.#abandon(shard, hosted);
    await this.#forget(shard, hosted);
  }

  #abandon(shard: number, { epoch, hasBegun }: Hosted): void {
    if (!hasBegun) return;
    this.#ports.hosting.shards.enter(shard, 'dropped', epoch);
    this.#ports.commit.abandonShard(shard);
  }

  async #stopActors(shard: number): Promise<void> {
    const { families, parts } = this.#ports;
    await Promise.all([
      families.stopEntities(familyTable, shard),
      ...parts.map((part) => part.unload(shard)),
    ]);
  }

  async #forget(shard: number, hosted: Hosted): Promise<void> {
    await hosted.loading;
    if (hosted.hasBegun) await this.#unload(shard);
    if (this.#hosted.get(shard) === hosted) this.#hosted.delete(shard);
  }

  async #unload(shard: number): Promise<void> {
    const { hosting, commit, services } = this.#ports;
    const { registered, checkDeliveries, turns, silences } = services;
    await this.#stopActors(shard);
    for (const { kind, key } of await commit.forgetShard(shard)) {
      if (kind === 'entity') registered.unload(key);
      else if (kind === 'check') checkDeliveries.unloadCheck(key);
      else if (kind === 'delivery') checkDeliveries.unload(key);
      else if (kind === 'schedule') turns.unload(key);
      else if (kind === 'silence') silences.book.unload(key);
    }
    hosting.shards.leave(shard);
  }
}

type Scan = (kind: RecordKind) => AsyncIterable<Entry>;

/**
 * Begins to read every kind at once: most shards are a few small reads, and the way to the store and back takes most of their time.
 * A kind that is read a second time is read anew.
 */
const readAhead = (scan: Scan): Scan => {
  const begun = new Map<RecordKind, AsyncIterable<Entry>>(
    shardedKinds.map((kind) => {
      const entries = scan(kind)[Symbol.asyncIterator]();
      const first = entries.next();
      // It is told when its turn comes.
      first.catch(() => {});
      const all = async function* (): AsyncIterable<Entry> {
        for (let next = await first; next.done !== true; next = await entries.next()) yield next.value;
      };
      return [kind, all()];
    }),
  );
  return (kind) => {
    const entries = begun.get(kind);
    begun.delete(kind);
    return entries ?? scan(kind);
  };
};

const ended = (shard: number): MonError =>
  new MonError('unavailable', `shard ${shard} was given up while it was loaded`);
