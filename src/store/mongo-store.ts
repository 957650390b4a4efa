// The store for production and clusters: MongoDB. The only file that uses the `mongodb` driver.
//
// One collection per kind, `_id` is the key. Writes are unordered bulks with `w: majority` and `j: true`:
// acknowledged writes are in the journal of a majority and survive a failover. Each write has its revision in the
// filter (`rev: {$lt: new}`, with upsert): if a newer one is stored, the filter matches nothing, the upsert
// conflicts with the existing `_id`, and the duplicate key error means `stale`. Which writes of a bulk are affected
// is read from the documents, not from the indexes of the error: `rev` and `writer` identify the commit of a
// document, even if a reply was lost and the driver resent the write. Where several backends write, the epoch of a lease
// comes before the revision: see record-fence.ts.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type AnyBulkWriteOperation, type Collection, type Db, MongoClient } from 'mongodb';
import type { LeaseStore } from '../cluster/lease-store.ts';
import {
  runtimeAuthorities,
  type TrustedAuthorities,
  trusting,
} from '../model/access/trusted-authorities.ts';
import { type OpenPurpose, openMarker, type StoreMarker } from './format-marker.ts';
import {
  mongoBeatMs,
  mongoConcurrentCommits,
  mongoConnectMs,
  mongoMajorityMs,
  mongoOwnerPatienceMs,
  mongoPoolSize,
  mongoReadPatienceMs,
  mongoReadRetryMs,
  mongoServerSelectionMs,
  mongoSocketMs,
  scanPageEntries,
} from './limits.ts';
import { type Aside, asideName, type Examined, type PutBack } from './maintained-store.ts';
import { fromDocument, toDocument } from './mongo-document.ts';
import { isConflict, isWorthRepeating, openingError, toStoreError } from './mongo-errors.ts';
import { awaitNoMembers, refuseMembers } from './mongo-exclusion.ts';
import { createMongoLeases, type MemberDocument, type ShardDocument } from './mongo-leases.ts';
import {
  awaitNoOwner,
  type OwnerDocument,
  type OwnerNotes,
  type Ownership,
  type OwnerTimes,
  refuseOwner,
  type StandBy,
  takeOwnership,
} from './mongo-owner.ts';
import { replaceDocument } from './mongo-replace.ts';
import { UnreadableRecord } from './record-codec.ts';
import { type Lease, olderThan, type RecordFence, type SharedStore, writtenBy } from './record-fence.ts';
import { checkKey, compareKeys, prefixEnd } from './record-key.ts';
import {
  type Entry,
  type PageQuery,
  type Quarantined,
  type RecordKind,
  type StoredRecord,
  StoreError,
  type StoreWrite,
  type WriteOutcome,
} from './snapshot-store.ts';

const markerId = 'format';
const defaultOwnerTimes: OwnerTimes = { beatMs: mongoBeatMs, patienceMs: mongoOwnerPatienceMs };

export interface MongoStoreOptions {
  /** A connection string; its path is the database name, default `mon`. */
  readonly url: string;
  /** Server selection timeout in milliseconds. */
  readonly serverSelectionMs?: number;
  /**
   * Claims the database for this process; called when another process took it over. If absent, there is no claim
   * and others may write too.
   */
  readonly onOwnershipLost?: ((error: StoreError) => void) | undefined;
  /** For a member of a cluster, in place of the claim: waits until no backend has the database for itself. */
  readonly isMember?: boolean | undefined;
  /** What backends that wait for this one are told about it. */
  readonly notes?: (() => OwnerNotes) | undefined;
  /** Waits while another backend owns the database. If absent, that is an error. */
  readonly standBy?: StandBy | undefined;
  /** Heartbeat interval of the owner and timeout for a silent owner, for tests. */
  readonly ownerTimes?: OwnerTimes;
  /** Trusted authorities for TLS, unless the URL specifies them. Read once. */
  readonly authorities?: TrustedAuthorities;
  /** Default `serve`. */
  readonly purpose?: OpenPurpose;
}

interface Row {
  readonly _id: string;
  readonly [field: string]: unknown;
}

interface Item {
  readonly at: number;
  readonly write: StoreWrite;
  readonly operation: AnyBulkWriteOperation<Row>;
  /** The lease under which it is written, if several backends write. */
  readonly lease?: Lease;
  /** Its revision had to be raised. */
  readonly isRaised?: true;
}

/**
 * Connects, checks the format of the database, and claims it if requested.
 * Rejects with StoreError: 'unavailable' if no server accepts writes; 'invalid' if the URL or format is invalid, or
 * another backend owns the database.
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<SharedStore> {
  const client = createClient(options);
  const where = `MongoDB at ${client.options.hosts.map(String).join(', ') || client.options.srvHost}`;
  try {
    await client.connect();
    const db = client.db(databaseOf(client, options.url));
    const { purpose = 'serve', onOwnershipLost: onLost, ownerTimes: times = defaultOwnerTimes } = options;
    const { notes, standBy } = options;
    // Looked at before the claim: a store that is not ours is not touched. And after it: others may have been at work.
    openMarker(await readMarker(db), where, purpose);
    const meta = db.collection<OwnerDocument>('meta');
    const leases = leasesOf(db, where);
    if (options.isMember === true) await awaitNoOwner({ meta, where, times });
    else if (onLost !== undefined) await awaitNoMembers(where, leases, times);
    const ownership =
      onLost === undefined || options.isMember === true
        ? undefined
        : await takeOwnership({ meta, where, times, onLost, notes, standBy });
    if (ownership !== undefined)
      await refuseMembers(where, leases).catch(async (error: unknown) => {
        await ownership.release();
        throw error;
      });
    const { marker, isDue } = openMarker(await readMarker(db), where, purpose);
    const store = new MongoStore(client, db, where, ownership, marker);
    if (isDue) await store.writeMarker(marker);
    return store;
  } catch (error) {
    await client.close();
    options.standBy?.signal.throwIfAborted();
    throw openingError(where, error);
  }
}

function createClient({
  url,
  serverSelectionMs = mongoServerSelectionMs,
  authorities = runtimeAuthorities,
}: MongoStoreOptions): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'mon',
      serverSelectionTimeoutMS: serverSelectionMs,
      connectTimeoutMS: mongoConnectMs,
      socketTimeoutMS: mongoSocketMs,
      maxPoolSize: mongoPoolSize,
      writeConcern: { w: 'majority', j: true, wtimeoutMS: mongoMajorityMs },
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      ...(/[?&]tlsCAFile=/i.test(url) ? {} : trusting(authorities)),
    });
  } catch (error) {
    throw new StoreError(
      'invalid',
      `the store URL is not a MongoDB connection string: ${(error as Error).message}`,
    );
  }
}

const leasesOf = (db: Db, where: string): LeaseStore =>
  createMongoLeases({
    where,
    members: db.collection<MemberDocument>('members'),
    shards: db.collection<ShardDocument>('shards'),
    refuseOwner: () => refuseOwner(db.collection<OwnerDocument>('meta'), where),
  });

/** Undefined in a database that holds none. */
async function readMarker(db: Db): Promise<string | undefined> {
  const marker = await db.collection<Row>('meta').findOne({ _id: markerId });
  return marker === null ? undefined : JSON.stringify(marker);
}

function databaseOf(client: MongoClient, url: string): string {
  const isNamed = client.options.dbName !== 'test' || /\/test(\?|$)/.test(url);
  return isNamed ? client.options.dbName : 'mon';
}

class MongoStore implements SharedStore {
  readonly name = 'mongodb';
  readonly maxConcurrentCommits = mongoConcurrentCommits;
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #where: string;
  readonly #ownership: Ownership | undefined;
  #fence: RecordFence | undefined;
  readonly leases: LeaseStore;
  readonly #writer = `${hostname()}:${process.pid}:${randomUUID()}`;
  #commits = 0;
  /** Kinds whose index by shard is known to exist. */
  readonly #shardIndexes = new Set<RecordKind>();
  readonly #quarantined: Quarantined[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;
  #marker: StoreMarker;

  constructor(
    client: MongoClient,
    db: Db,
    where: string,
    ownership: Ownership | undefined,
    marker: StoreMarker,
  ) {
    this.#marker = marker;
    this.#client = client;
    this.#db = db;
    this.#where = where;
    this.#ownership = ownership;
    this.leases = leasesOf(db, where);
  }

  fenceWith(fence: RecordFence): void {
    this.#fence = fence;
  }

  async commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
    this.#refuseWhenClosed();
    return this.#track(this.#commit(writes));
  }

  async #commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
    this.#commits += 1;
    const writer = `${this.#writer}:${this.#commits}`;
    const outcomes: WriteOutcome[] = [];
    const items =
      this.#fence === undefined
        ? writes.map((write, at) => ({ at, write, operation: toOperation(write, writer) }))
        : fencedItems(this.#fence, writes, writer, outcomes);
    await this.#confirmUnlessFresh();
    await this.#commitInOrder(items, writer, outcomes);
    // A write that was held up for long may have arrived after another backend took over and read the records: what
    // is acknowledged must have been there before.
    await this.#confirmUnlessFresh();
    if (this.#fence !== undefined) refuseLost(this.#fence, items, outcomes);
    return outcomes;
  }

  async replace(
    kind: RecordKind,
    key: string,
    seenRev: number,
    record: StoredRecord | undefined,
  ): Promise<boolean> {
    this.#refuseWhenClosed();
    checkKey(kind, key);
    this.#commits += 1;
    const writer = `${this.#writer}:${this.#commits}`;
    const document = record && { ...toDocument(kind, key, record, writer) };
    const work = async (): Promise<boolean> => {
      await this.#confirmUnlessFresh();
      const isWritten = await this.#ask(() => replaceDocument(this.#rows(kind), { key, seenRev, document }));
      await this.#confirmUnlessFresh();
      return isWritten;
    };
    return this.#track(work());
  }

  /** There are no transactions across collections here: what others count on is acknowledged before they are sent. */
  async #commitInOrder(items: readonly Item[], writer: string, outcomes: WriteOutcome[]): Promise<void> {
    for (const order of ['first', undefined, 'last'] as const) {
      const kinds = new Map<RecordKind, Item[]>();
      for (const item of items) {
        if (item.write.order !== order) continue;
        const alike = kinds.get(item.write.kind);
        if (alike) alike.push(item);
        else kinds.set(item.write.kind, [item]);
      }
      const parts = [...kinds].map(([kind, alike]) => this.#commitKind(kind, alike, writer, outcomes));
      await allSettled(parts);
    }
  }

  async #confirmUnlessFresh(): Promise<void> {
    if ((this.#fence ?? this.#ownership)?.isFresh() === false) await this.#confirm();
  }

  /** Rejects if another backend owns the database now. */
  async #confirm(): Promise<void> {
    const ownership = this.#fence ?? this.#ownership;
    if (ownership !== undefined) await this.#ask(() => ownership.confirm());
  }

  async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    this.#refuseWhenClosed();
    checkKey(kind, key);
    const row = await this.#read(() => this.#rows(kind).findOne({ _id: key }));
    return row ? this.#decode(kind, row) : undefined;
  }

  async *scan(kind: RecordKind, query: PageQuery = {}): AsyncIterable<Entry> {
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    for await (const row of this.#scanRows(kind, query)) {
      if (left <= 0) return;
      const record = await this.#decode(kind, row);
      if (!record) continue;
      left -= 1;
      yield { key: row._id, record };
      if (left <= 0) return;
    }
  }

  async *examine(kind: RecordKind, query: PageQuery = {}): AsyncIterable<Examined> {
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for await (const row of this.#scanRows(kind, query)) {
      yield examined(row);
      left -= 1;
      if (left <= 0) return;
    }
  }

  async examineOne(kind: RecordKind, key: string): Promise<Examined | undefined> {
    this.#refuseWhenClosed();
    const row = await this.#read(() => this.#rows(kind).findOne({ _id: key }));
    return row === null ? undefined : examined(row);
  }

  async *#scanRows(kind: RecordKind, query: PageQuery): AsyncIterable<Row> {
    const prefix = query.prefix ?? '';
    let after = query.after ?? '';
    for (;;) {
      this.#refuseWhenClosed();
      const start = compareKeys(after, prefix) < 0 ? { $gte: prefix } : { $gt: after };
      const page = await this.#read(() =>
        this.#rows(kind)
          .find({ _id: { ...start, $lt: prefixEnd(prefix) } }, { sort: { _id: 1 }, limit: scanPageEntries })
          .toArray(),
      );
      yield* page;
      after = page.at(-1)?._id ?? after;
      if (page.length < scanPageEntries) return;
    }
  }

  async *scanShard(kind: RecordKind, shard: number): AsyncIterable<Entry> {
    await this.#indexShards(kind);
    for (let after = ''; ; ) {
      this.#refuseWhenClosed();
      const page = await this.#read(() =>
        this.#rows(kind)
          .find({ shard, _id: { $gt: after } }, { sort: { _id: 1 }, limit: scanPageEntries })
          .toArray(),
      );
      for (const row of page) {
        const record = await this.#decode(kind, row);
        if (record) yield { key: row._id, record };
      }
      after = page.at(-1)?._id ?? after;
      if (page.length < scanPageEntries) return;
    }
  }

  /** Once for each start of a backend; nothing is changed where the index exists. */
  async #indexShards(kind: RecordKind): Promise<void> {
    if (this.#shardIndexes.has(kind)) return;
    await this.#ask(() => this.#rows(kind).createIndex({ shard: 1, _id: 1 }));
    this.#shardIndexes.add(kind);
  }

  async assignShards(kind: RecordKind, shardOf: (key: string) => number | undefined): Promise<number> {
    await this.#indexShards(kind);
    let assigned = 0;
    for (let after = ''; ; ) {
      this.#refuseWhenClosed();
      const query = { shard: null, _id: { $gt: after } };
      const page = await this.#read(() =>
        this.#rows(kind)
          .find(query, { projection: { _id: 1 }, sort: { _id: 1 }, limit: scanPageEntries })
          .toArray(),
      );
      const updates = page.flatMap(({ _id }) => {
        const shard = shardOf(_id);
        if (shard === undefined) return [];
        return { updateOne: { filter: { _id, shard: null }, update: { $set: { shard } } } };
      });
      if (updates.length > 0) await this.#ask(() => this.#rows(kind).bulkWrite(updates, { ordered: false }));
      assigned += updates.length;
      after = page.at(-1)?._id ?? after;
      if (page.length < scanPageEntries) return assigned;
    }
  }

  get marker(): StoreMarker {
    return this.#marker;
  }

  async writeMarker(marker: StoreMarker): Promise<void> {
    this.#refuseWhenClosed();
    const meta = this.#db.collection<Row>('meta');
    const replace = () => meta.replaceOne({ _id: markerId }, { ...marker }, { upsert: true });
    // Two upserts at once may both try to insert. The one that loses finds the document when it is sent again.
    const write = () =>
      replace().catch((error: unknown) => (isConflict(error) ? replace() : Promise.reject(error)));
    await this.#ask(write);
    this.#marker = marker;
  }

  async setAside(kind: RecordKind, key: string, reason: string): Promise<void> {
    this.#refuseWhenClosed();
    const row = await this.#read(() => this.#rows(kind).findOne({ _id: key }));
    if (row !== null) await this.#ask(() => this.#moveAside(kind, row, reason));
  }

  async *listAside(): AsyncIterable<Aside> {
    this.#refuseWhenClosed();
    const rows = await this.#read(() =>
      this.#aside()
        .find({}, { projection: { document: 0 }, sort: { _id: 1 } })
        .toArray(),
    );
    for (const { _id: id, kind, key, reason } of rows)
      yield {
        id,
        kind: kind as RecordKind,
        key: String(key),
        atMs: Number(/@(\d+)$/.exec(id)?.[1] ?? 0),
        reason: String(reason),
      };
  }

  async putBack(id: string): Promise<PutBack> {
    this.#refuseWhenClosed();
    const aside = await this.#read(() => this.#aside().findOne({ _id: id }));
    if (aside === null) return 'absent';
    try {
      await this.#rows(aside.kind as RecordKind).insertOne(aside.document as Row);
    } catch (error) {
      if (!isConflict(error)) throw toStoreError(this.#where, error);
      return 'taken';
    }
    await this.#ask(() => this.#aside().deleteOne({ _id: id }));
    return 'done';
  }

  async count(kind: RecordKind, prefix = ''): Promise<number> {
    this.#refuseWhenClosed();
    const range = { _id: { $gte: prefix, $lt: prefixEnd(prefix) } };
    return this.#read(() => this.#rows(kind).countDocuments(range));
  }

  async serverTimeMs(): Promise<number> {
    this.#refuseWhenClosed();
    const { localTime } = await this.#read(() => this.#db.admin().command({ hello: 1 }));
    return (localTime as Date).getTime();
  }

  quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  close(): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#underWay)
      // If the server is unreachable, the claim stays; the next backend detects that this process is gone or
      // silent.
      .then(() => this.#ownership?.release().catch(() => {}))
      .then(() => this.#client.close());
    return this.#closed;
  }

  /** Writes until every item has an outcome; more than one round only with concurrent writers. */
  async #commitKind(
    kind: RecordKind,
    items: readonly Item[],
    writer: string,
    outcomes: WriteOutcome[],
  ): Promise<void> {
    let open = items;
    for (let rounds = 0; rounds < 5; rounds += 1) {
      const doubtful = await this.#ask(() => this.#bulk(kind, open));
      for (const item of open) outcomes[item.at] = outcomeOf(item);
      if (doubtful.length === 0) return;
      open = await this.#judge(kind, doubtful, writer, outcomes);
      if (open.length === 0) return;
    }
    throw new StoreError(
      'unavailable',
      `${this.#where}: concurrent writes keep changing the same ${kind} records; try again`,
    );
  }

  /** Sends the writes; returns the items with unknown outcomes. */
  async #bulk(kind: RecordKind, items: readonly Item[]): Promise<readonly Item[]> {
    const [deletes, puts] = [[], []] as [Item[], Item[]];
    for (const item of items) (item.write.type === 'delete' ? deletes : puts).push(item);
    try {
      const result = await this.#rows(kind).bulkWrite(
        items.map(({ operation }) => operation),
        { ordered: false },
      );
      const areAllPut = result.matchedCount + result.upsertedCount === puts.length;
      return [...(areAllPut ? [] : puts), ...(result.deletedCount === deletes.length ? [] : deletes)];
    } catch (error) {
      if (isConflict(error)) return items;
      throw error;
    }
  }

  /**
   * Determines from the stored documents which items were written and which are stale; returns those to send again.
   * For the owner of the database nothing is stale: a newer revision was written by an owner before it, whose write
   * was held up on its way and never acknowledged. It is overwritten.
   */
  async #judge(
    kind: RecordKind,
    items: readonly Item[],
    writer: string,
    outcomes: WriteOutcome[],
  ): Promise<readonly Item[]> {
    const keys = items.map(({ write }) => write.key);
    const rows = await this.#read(() =>
      this.#rows(kind)
        .find({ _id: { $in: keys } })
        .toArray(),
    );
    const stored = new Map(rows.map((row) => [row._id, row]));
    const again: Item[] = [];
    // A record may be gone since a later owner deleted it: only the owner of now creates it again.
    if (this.#fence !== undefined) await this.#confirmUnlessFresh();
    let isOwner: boolean | undefined;
    for (const item of items) {
      const { write, at } = item;
      const row = stored.get(write.key);
      const storedRev = row && (await this.#decode(kind, row))?.rev;
      const rev = write.type === 'put' ? write.record.rev : write.rev;
      const isOurs = write.type === 'put' && storedRev === rev && row?.writer === writer;
      if (isOurs || (storedRev === undefined && write.type === 'delete')) continue;
      if (item.lease !== undefined) {
        const by = writtenBy(row?.epoch, item.lease);
        if (row !== undefined && by === 'later')
          outcomes[at] = { written: false, why: 'stale', storedRev: storedRev ?? rev };
        else if (this.#fence?.holds(item.lease) === false)
          outcomes[at] = { written: false, why: 'stale', storedRev: rev };
        else if (storedRev === undefined) again.push(recreated(item, writer));
        else again.push(by === 'same' && storedRev >= rev ? raised(item, storedRev + 1, writer) : item);
      } else if (storedRev === undefined || storedRev < rev) again.push(item);
      else {
        isOwner ??= await this.#confirm().then(() => this.#ownership !== undefined);
        if (isOwner) again.push(raised(item, storedRev + 1, writer));
        else outcomes[at] = { written: false, why: 'stale', storedRev };
      }
    }
    return again;
  }

  async #decode(kind: RecordKind, row: Row): Promise<StoredRecord | undefined> {
    try {
      return fromDocument(row);
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      await this.#ask(() => this.#quarantine(kind, row, error.message));
      return undefined;
    }
  }

  /** Moves the document to quarantine unchanged, unless it was rewritten meanwhile. */
  async #quarantine(kind: RecordKind, row: Row, reason: string): Promise<void> {
    this.#quarantined.push({ kind, key: row._id, reason });
    await this.#moveAside(kind, row, reason);
  }

  async #moveAside(kind: RecordKind, row: Row, reason: string): Promise<void> {
    const aside = { _id: asideName(kind, row._id), kind, key: row._id, reason, document: row };
    await this.#aside().insertOne(aside);
    await this.#rows(kind).deleteOne({ _id: row._id, rev: { $eq: row.rev ?? null } });
  }

  #aside(): Collection<Row> {
    return this.#db.collection<Row>('quarantine');
  }

  #rows(kind: RecordKind): Collection<Row> {
    return this.#db.collection<Row>(kind);
  }

  /** Repeats a read, which the driver does once only. Writes are repeated by those who know what they wrote. */
  async #read<T>(work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    for (let waitMs = mongoReadRetryMs; ; waitMs *= 2) {
      try {
        return await work();
      } catch (error) {
        const isLate = performance.now() - startMs + waitMs > mongoReadPatienceMs;
        if (isLate || this.#closed !== undefined || !isWorthRepeating(error))
          throw toStoreError(this.#where, error);
      }
      await pause(waitMs);
    }
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(this.#where, error);
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const forget = () => this.#underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new StoreError('closed', `${this.#where}: the store is closed`);
  }
}

function examined(row: Row): Examined {
  try {
    return { key: row._id, record: fromDocument(row) };
  } catch (error) {
    if (!(error instanceof UnreadableRecord)) throw error;
    return { key: row._id, fault: error.message };
  }
}

function toOperation(
  write: StoreWrite,
  writer: string,
  lease?: Lease,
  // A late change by an earlier owner must not bring back what a later owner deleted.
  upsert = lease === undefined || (write.type === 'put' && write.record.rev === 1),
): AnyBulkWriteOperation<Row> {
  checkKey(write.kind, write.key);
  if (write.type === 'delete') return { deleteOne: { filter: olderThan(write.key, write.rev, lease) } };
  const { _id, ...fields } = toDocument(write.kind, write.key, write.record, writer);
  const replacement = lease === undefined ? fields : { ...fields, ...lease };
  return { replaceOne: { filter: olderThan(_id, write.record.rev, lease), replacement, upsert } };
}

/** Writes of records whose shard another backend owns are refused here and not sent. */
function fencedItems(
  fence: RecordFence,
  writes: readonly StoreWrite[],
  writer: string,
  outcomes: WriteOutcome[],
): readonly Item[] {
  return writes.flatMap((write, at): Item[] => {
    const lease = fence.leaseOf(write.kind, write.key);
    if (lease === 'foreign') {
      outcomes[at] = { written: false, why: 'stale', storedRev: revOf(write) };
      return [];
    }
    if (lease === undefined) return [{ at, write, operation: toOperation(write, writer) }];
    return [{ at, write, operation: toOperation(write, writer, lease), lease }];
  });
}

/** What was written under a lease that ended meanwhile must not be acknowledged: its next owner may not have read it. */
function refuseLost(fence: RecordFence, items: readonly Item[], outcomes: WriteOutcome[]): void {
  for (const { at, write, lease } of items)
    if (lease !== undefined && !fence.holds(lease))
      outcomes[at] = { written: false, why: 'stale', storedRev: revOf(write) };
}

const revOf = (write: StoreWrite): number => (write.type === 'put' ? write.record.rev : write.rev);

/** The same write for a record that is not there. */
const recreated = (item: Item, writer: string): Item => ({
  ...item,
  operation: toOperation(item.write, writer, item.lease, true),
});

/** The same write with a newer revision. */
function raised({ at, write, lease }: Item, rev: number, writer: string): Item {
  const newer: StoreWrite =
    write.type === 'delete' ? { ...write, rev } : { ...write, record: { ...write.record, rev } };
  const operation = toOperation(newer, writer, lease);
  return { at, write: newer, operation, isRaised: true, ...(lease && { lease }) };
}

const outcomeOf = ({ write, isRaised }: Item): WriteOutcome =>
  isRaised ? { written: true, rev: revOf(write) } : { written: true };

/** Waits for all, then rejects with the first failure, if any, so that nothing keeps running. */
async function allSettled(parts: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(parts);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
