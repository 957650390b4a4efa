// The embedded store and the default: LMDB in the state directory. The only file that uses `lmdb`.
//
// Durability: `commit` resolves only after the data is synced to disk. With `overlappingSync: false`, each
// transaction is written (pwrite), synced (fdatasync), and then made current by writing its meta page through an
// O_DSYNC descriptor, after which the promise resolves (verified with strace). The library's default on Linux,
// `overlappingSync: true`, publishes a transaction before it is synced and relies on the boot id after a crash; a
// failed sync leaves its `flushed` promise pending forever. It was not faster either: 21-26k against 21-23k
// records/s of 2.6 kB in batches of 1,024 (2 cores, virtual disk), because the group commit already lets many
// records share one sync. Two concurrent batches were slower than one (14-17k/s), so `maxConcurrentCommits` 1.
//
// A batch is one transaction. Every write is conditional on the revision it replaces (compare-and-set inside the
// transaction), so a rogue writer cannot overwrite newer data. Not for network file systems, nor for containers
// that share a directory but not their process ids.
import { type Database, getLastVersion, open, type RootDatabase } from 'lmdb';
import { makeFolder } from '../program/folders.ts';
import { checkDataFile, DamagedFileError, dataFileBytes, openingFiles } from '../program/lmdb-file.ts';
import { type Claim, claimDirectory, wasReleased } from './directory-owner.ts';
import { DiskSpace } from './disk-space.ts';
import { type OpenPurpose, openMarker, type StoreMarker } from './format-marker.ts';
import { commitTimeoutMs, lmdbMapBytes, maxAlwaysCheckedBytes, scanPageEntries } from './limits.ts';
import {
  type Aside,
  asideName,
  type Examined,
  type MaintainedStore,
  type PutBack,
  parseAside,
} from './maintained-store.ts';
import { decodeRecord, RecordArena, UnreadableRecord } from './record-codec.ts';
import { checkKey, compareKeys, prefixEnd } from './record-key.ts';
import {
  type Entry,
  type PageQuery,
  type Quarantined,
  type RecordKind,
  recordKinds,
  type StoredRecord,
  StoreError,
  type StoreWrite,
  type WriteOutcome,
} from './snapshot-store.ts';

export interface LmdbStoreOptions {
  /** Created if absent. Contains data.mdb, lock.mdb and owner.json. */
  readonly dir: string;
  /** Address space mapped at start, in bytes. */
  readonly mapSize?: number;
  /** Reserved free space in bytes; 0 disables the check. */
  readonly reserveBytes?: number;
  readonly commitTimeoutMs?: number;
  /** Default `serve`. */
  readonly purpose?: OpenPurpose;
}

const markerKey = 'format';

type Table = Database<Buffer, string>;

/**
 * Opens the store and claims its directory for this process.
 * Rejects with StoreError 'invalid' if another process owns it or its format is not supported, otherwise
 * 'unavailable'.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<MaintainedStore> {
  const root = openRoot(options);
  let claim: Claim | undefined;
  try {
    claim = claimDirectory(options.dir, (run) => root.transactionSync(run));
    const { marker, isDue } = openMarker(
      root.get(markerKey)?.toString('utf8'),
      options.dir,
      options.purpose ?? 'serve',
    );
    const store = new LmdbStore(root, claim, options, marker);
    if (isDue) await store.writeMarker(marker);
    return store;
  } catch (error) {
    claim?.release();
    await root.close();
    throw error instanceof StoreError ? error : openError(options.dir, error);
  }
}

function openRoot(options: LmdbStoreOptions): RootDatabase<Buffer, string> {
  try {
    makeFolder(options.dir);
    checkDataFile(options.dir, thoroughnessFor(options.dir));
    return openingFiles(options.dir, () => openEnvironment(options));
  } catch (error) {
    if (error instanceof DamagedFileError) throw damagedError(options.dir, error);
    throw openError(options.dir, error);
  }
}

const openEnvironment = ({ dir, mapSize = lmdbMapBytes }: LmdbStoreOptions): RootDatabase<Buffer, string> =>
  open<Buffer, string>({
    path: dir,
    noSubdir: false,
    encoding: 'binary',
    overlappingSync: false,
    // Disabled: the library's own batches hold an unreachable promise, whose rejection would end the process.
    eventTurnBatching: false,
    maxDbs: recordKinds.length + 4,
    mapSize,
  });

/** A store that was closed is trusted when reading all of it would take long. */
const thoroughnessFor = (dir: string) =>
  dataFileBytes(dir) <= maxAlwaysCheckedBytes || !wasReleased(dir) ? 'allPages' : 'ifTruncated';

/** What LMDB says when it meets a bad page itself. */
const damageFound = /MDB_(CORRUPTED|PAGE_NOTFOUND|PANIC)/;

const restoreAdvice = (dir: string): string =>
  `Stop the backend, move ${dir} away (it may still be of use), and bring back the last backup with \`mon-backend restore\`; ` +
  'without a backup, a start creates an empty store. Check the disk as well';

const damagedError = (dir: string, cause: DamagedFileError): StoreError =>
  new StoreError('invalid', `${cause.path} is ${cause.what}. Nothing was changed. ${restoreAdvice(dir)}`, {
    cause,
  });

const openError = (dir: string, cause: unknown): StoreError =>
  new StoreError('unavailable', `cannot open the store in ${dir}: ${textOf(cause)}`, { cause });

class LmdbStore implements MaintainedStore {
  readonly name = 'lmdb';
  readonly maxConcurrentCommits = 1;
  readonly #dir: string;
  readonly #root: RootDatabase<Buffer, string>;
  readonly #claim: Claim;
  readonly #tables: Readonly<Record<RecordKind, Table>>;
  readonly #quarantineTable: Table;
  readonly #space: DiskSpace;
  readonly #timeoutMs: number;
  readonly #arenas: RecordArena[] = [];
  readonly #quarantined: Quarantined[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;
  #marker: StoreMarker;

  constructor(
    root: RootDatabase<Buffer, string>,
    claim: Claim,
    options: LmdbStoreOptions,
    marker: StoreMarker,
  ) {
    this.#marker = marker;
    this.#dir = options.dir;
    this.#root = root;
    this.#claim = claim;
    this.#space = new DiskSpace(options.dir, options.reserveBytes);
    this.#timeoutMs = options.commitTimeoutMs ?? commitTimeoutMs;
    const table = (name: string, useVersions: boolean): Table =>
      root.openDB<Buffer, string>({ name, encoding: 'binary', useVersions });
    this.#tables = Object.fromEntries(recordKinds.map((kind) => [kind, table(kind, true)])) as Record<
      RecordKind,
      Table
    >;
    this.#quarantineTable = table('quarantine', false);
  }

  async commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
    this.#refuseWhenClosed();
    const arena = this.#arenas.pop() ?? new RecordArena();
    let ended: Promise<readonly WriteOutcome[]>;
    try {
      const prepared = prepare(writes, arena);
      this.#space.require(prepared.bytes);
      ended = this.#track(this.#writeAll(writes, prepared.values));
    } catch (error) {
      this.#recycle(arena);
      throw error;
    }
    // The library reads the arena until the transaction ends; only then can it be reused.
    ended.then(
      () => this.#recycle(arena),
      () => this.#recycle(arena),
    );
    return this.#withinTimeout(ended);
  }

  async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    this.#refuseWhenClosed();
    checkKey(kind, key);
    return this.#read(kind, key);
  }

  async *scan(kind: RecordKind, query: PageQuery = {}): AsyncIterable<Entry> {
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    for await (const page of this.#pages(kind, query)) {
      for (const { key, value, version } of page) {
        if (left <= 0) return;
        const record = await this.#decode(kind, key, value, version ?? 0);
        if (!record) continue;
        left -= 1;
        yield { key, record };
      }
      if (left <= 0) return;
    }
  }

  async *examine(kind: RecordKind, query: PageQuery = {}): AsyncIterable<Examined> {
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    for await (const page of this.#pages(kind, query)) {
      for (const entry of page) {
        if (left <= 0) return;
        left -= 1;
        yield examined(entry);
      }
      if (left <= 0) return;
    }
  }

  async examineOne(kind: RecordKind, key: string): Promise<Examined | undefined> {
    this.#refuseWhenClosed();
    const entry = this.#tables[kind].getEntry(key);
    return entry && examined({ key, ...entry });
  }

  /** Pages of what is stored, in order of key; others get a turn in between. */
  async *#pages(kind: RecordKind, query: PageQuery): AsyncIterable<readonly StoredBytes[]> {
    const prefix = query.prefix ?? '';
    const end = prefixEnd(prefix);
    let after = query.after ?? '';
    for (;;) {
      this.#refuseWhenClosed();
      const range =
        compareKeys(after, prefix) < 0 ? { start: prefix } : { start: after, exclusiveStart: true };
      const page = [
        ...this.#tables[kind].getRange({ ...range, end, limit: scanPageEntries, versions: true }),
      ];
      yield page;
      after = page.at(-1)?.key ?? after;
      if (page.length < scanPageEntries) return;
      await new Promise((resume) => setImmediate(resume));
    }
  }

  get marker(): StoreMarker {
    return this.#marker;
  }

  async writeMarker(marker: StoreMarker): Promise<void> {
    this.#refuseWhenClosed();
    await this.#together([() => this.#root.put(markerKey, Buffer.from(JSON.stringify(marker)))]);
    this.#marker = marker;
  }

  async setAside(kind: RecordKind, key: string, _reason: string): Promise<void> {
    this.#refuseWhenClosed();
    const entry = this.#tables[kind].getEntry(key);
    if (entry === undefined) return;
    await this.#awaitMove(() => this.#moveAside(kind, key, entry.value, entry.version ?? 0));
  }

  async *listAside(): AsyncIterable<Aside> {
    this.#refuseWhenClosed();
    for (const id of [...this.#quarantineTable.getKeys()]) {
      const aside = parseAside(id);
      if (aside !== undefined) yield aside;
    }
  }

  async putBack(id: string): Promise<PutBack> {
    this.#refuseWhenClosed();
    const aside = parseAside(id);
    const bytes = this.#quarantineTable.getBinary(id);
    if (aside === undefined || bytes === undefined) return 'absent';
    const table = this.#tables[aside.kind];
    if (table.doesExist(aside.key)) return 'taken';
    await this.#awaitMove(() => {
      table.put(aside.key, bytes, aside.rev ?? 1);
      this.#quarantineTable.remove(id);
      return true;
    });
    return 'done';
  }

  async #awaitMove(move: () => boolean): Promise<void> {
    await settleAll([this.#track(this.#root.transaction(move))]).catch((error: unknown) => {
      throw this.#commitError(error);
    });
  }

  async count(kind: RecordKind, prefix = ''): Promise<number> {
    this.#refuseWhenClosed();
    return this.#tables[kind].getKeysCount({ start: prefix, end: prefixEnd(prefix) });
  }

  quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  close(): Promise<void> {
    this.#closed ??= this.#shut();
    return this.#closed;
  }

  async #shut(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    this.#claim.release();
    await this.#root.close();
  }

  /** One transaction, as a rule. Those that are `last` have one of their own, since any of the others may need a second try. */
  async #writeAll(writes: readonly StoreWrite[], values: readonly (Buffer | undefined)[]) {
    const outcomes: WriteOutcome[] = [];
    const all = writes.map((_, at) => at);
    const last = all.filter((at) => writes[at]?.order === 'last');
    const others = last.length === 0 ? all : all.filter((at) => writes[at]?.order !== 'last');
    for (const places of [others, last])
      if (places.length > 0) await this.#writeThese(places, writes, values, outcomes);
    return outcomes;
  }

  /**
   * First assumes that the stored revision is one older, which is the normal case and needs no read (a read costs
   * as much as the write). Then, for the remaining writes, reads first; finally, one by one.
   */
  async #writeThese(
    places: readonly number[],
    writes: readonly StoreWrite[],
    values: readonly (Buffer | undefined)[],
    outcomes: WriteOutcome[],
  ): Promise<void> {
    let open = places;
    for (const attempt of [this.#attemptBlindly, this.#attempt]) {
      const written = await this.#together(
        open.map((at) => () => attempt.call(this, writes[at], values[at])),
      );
      open = open.filter((at, index) => {
        if (written[index]) outcomes[at] = { written: true };
        return !written[index];
      });
      if (open.length === 0) return;
    }
    for (const at of open) outcomes[at] = await this.#writeAlone(writes[at] as StoreWrite, values[at]);
  }

  /** Issues writes as one transaction; resolves when it is durable, with the result of each condition. */
  async #together(issues: readonly (() => Promise<boolean>)[]): Promise<readonly boolean[]> {
    const results: Promise<boolean>[] = [];
    const whole = this.#root.batch(() => {
      for (const issue of issues) results.push(issue());
    });
    return settleAll([...results, whole]).catch((error: unknown) => {
      throw this.#commitError(error);
    });
  }

  #attemptBlindly(write: StoreWrite | undefined, value: Buffer | undefined): Promise<boolean> {
    if (!write) return Promise.resolve(false);
    const rev = revOf(write);
    // What the rest of the batch counts on must be in the first transaction, so nothing is assumed.
    if (write.order === 'first' && rev > 1) return this.#attempt(write, value);
    return this.#issue(write, value, rev > 1 ? rev - 1 : undefined);
  }

  /** False if the assumption was wrong: a newer revision is stored, or another write happened in between. */
  #attempt(write: StoreWrite | undefined, value: Buffer | undefined): Promise<boolean> {
    if (!write) return Promise.resolve(false);
    const table = this.#tables[write.kind];
    const storedRev = table.getBinaryFast(write.key) === undefined ? undefined : getLastVersion();
    if (storedRev === undefined && write.type === 'delete') return Promise.resolve(true);
    if (storedRev !== undefined && !(storedRev < revOf(write))) return Promise.resolve(false);
    return this.#issue(write, value, storedRev);
  }

  /** A conditional write: resolves to false if the stored revision is no longer `storedRev`. */
  #issue(write: StoreWrite, value: Buffer | undefined, storedRev: number | undefined): Promise<boolean> {
    const table = this.#tables[write.kind];
    // `null` requires absence; the library's types do not include it.
    const condition = (storedRev ?? null) as number;
    if (value === undefined) return this.#remove(table, write.key, storedRev);
    return table.put(write.key, value, revOf(write), condition);
  }

  /** Without a stored revision there is nothing to remove, which a read confirms. */
  #remove(table: Table, key: string, storedRev: number | undefined): Promise<boolean> {
    return storedRev === undefined ? Promise.resolve(false) : table.remove(key, storedRev);
  }

  /** The careful path for one write: reads the full record, so that corrupt data is not taken for a newer revision. */
  async #writeAlone(write: StoreWrite, value: Buffer | undefined): Promise<WriteOutcome> {
    for (let tries = 0; tries < 5; tries += 1) {
      const stored = await this.#read(write.kind, write.key);
      if (stored && stored.rev >= revOf(write))
        return { written: false, why: 'stale', storedRev: stored.rev };
      if (!stored && value === undefined) return { written: true };
      const [written] = await this.#together([() => this.#issue(write, value, stored?.rev)]);
      if (written) return { written: true };
    }
    throw new StoreError(
      'unavailable',
      `${write.kind} ${write.key}: concurrent writes keep changing it; try again`,
    );
  }

  async #read(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    const entry = this.#tables[kind].getEntry(key);
    return entry && this.#decode(kind, key, entry.value, entry.version ?? 0);
  }

  async #decode(
    kind: RecordKind,
    key: string,
    bytes: Buffer,
    rev: number,
  ): Promise<StoredRecord | undefined> {
    try {
      return decodeRecord(bytes, rev);
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      await this.#quarantine(kind, key, bytes, rev, error.message);
      return undefined;
    }
  }

  /** Moves the bytes to quarantine unchanged, unless the record was rewritten meanwhile. */
  async #quarantine(
    kind: RecordKind,
    key: string,
    bytes: Buffer,
    rev: number,
    reason: string,
  ): Promise<void> {
    const known = this.#quarantined.some(
      (item) => item.kind === kind && item.key === key && item.reason === reason,
    );
    if (!known) this.#quarantined.push({ kind, key, reason });
    const move = this.#root.transaction(() => this.#moveAside(kind, key, bytes, rev));
    // If the disk is too full to move it, it stays in place and is still reported.
    await settleAll([this.#track(move)]).catch((error: unknown) => this.#commitError(error));
  }

  /** Only inside a transaction. */
  #moveAside(kind: RecordKind, key: string, bytes: Buffer, rev: number): boolean {
    const table = this.#tables[kind];
    if (table.getBinary(key)?.equals(bytes) !== true) return true;
    this.#quarantineTable.put(asideName(kind, key, rev), bytes);
    table.remove(key);
    return true;
  }

  #commitError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const code = (error as { code?: unknown }).code;
    // A write truncated by a full disk surfaces as EIO, so check the free space.
    if (isSpaceError(code, textOf(error)) || this.#space.isNearlyFull()) {
      this.#space.noteExhausted();
      return this.#space.fullError(error);
    }
    const advice = damageFound.test(textOf(error))
      ? `. Its file is damaged. ${restoreAdvice(this.#dir)}`
      : '';
    const message = `the store in ${this.#dir} refused a commit: ${textOf(error)}${advice}`;
    return new StoreError('unavailable', message, { cause: error });
  }

  #withinTimeout<T>(ended: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const message = `a commit to ${this.#dir} has not ended after ${this.#timeoutMs} ms; its outcome is unknown`;
        reject(new StoreError('unavailable', message));
      }, this.#timeoutMs);
      ended.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const forget = () => this.#underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  #recycle(arena: RecordArena): void {
    arena.reset();
    if (this.#arenas.length < this.maxConcurrentCommits + 1) this.#arenas.push(arena);
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new StoreError('closed', `the store in ${this.#dir} is closed`);
  }
}

interface StoredBytes {
  readonly key: string;
  readonly value: Buffer;
  readonly version?: number;
}

function examined({ key, value, version }: StoredBytes): Examined {
  try {
    return { key, record: decodeRecord(value, version ?? 0) };
  } catch (error) {
    if (!(error instanceof UnreadableRecord)) throw error;
    return { key, fault: error.message };
  }
}

const revOf = (write: StoreWrite): number => (write.type === 'put' ? write.record.rev : write.rev);

function prepare(writes: readonly StoreWrite[], arena: RecordArena) {
  let bytes = 0;
  const values = writes.map((write) => {
    checkKey(write.kind, write.key);
    if (write.type === 'delete') return undefined;
    const value = arena.encode(write.kind, write.key, write.record);
    bytes += value.length;
    return value;
  });
  return { values, bytes };
}

/**
 * Waits for all, then resolves to their values or rejects with the cause of the first failure. A write rejected by
 * LMDB has a second promise, `commitError`, with the cause; unhandled, it would end the process.
 */
function settleAll(results: readonly Promise<boolean>[]): Promise<boolean[]> {
  return new Promise((resolve, reject) => {
    const values: boolean[] = [];
    let left = results.length;
    let failure: Promise<unknown> | undefined;
    const settled = () => {
      left -= 1;
      if (left > 0) return;
      if (failure) failure.then(reject, reject);
      else resolve(values);
    };
    const failed = (error: unknown) => {
      const cause = (error as { commitError?: Promise<never> } | undefined)?.commitError;
      const known = cause ? cause.catch((reason: unknown) => reason) : Promise.resolve(error);
      failure ??= known;
      settled();
    };
    if (left === 0) return resolve(values);
    for (const [at, result] of results.entries()) {
      result.then((value) => {
        values[at] = value;
        settled();
      }, failed);
    }
  });
}

/** 28 is ENOSPC, 122 EDQUOT, 27 EFBIG; MDB_MAP_FULL is the limit of the map. */
const isSpaceError = (code: unknown, text: string): boolean =>
  code === 28 || code === 122 || code === 27 || /ENOSPC|No space|quota|MDB_MAP_FULL/i.test(text);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
