// The store for tests and simulations: keeps encoded text, so nothing is shared with the caller, and can inject
// failures.
//
// Its contents are in a `MemoryDisk`: a new store on the same disk simulates a restart.

import type { Examined, ExaminedStore } from './maintained-store.ts';
import { parseRecord, toJson, UnreadableRecord } from './record-codec.ts';
import { checkKey, compareKeys } from './record-key.ts';
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

interface Cell {
  readonly rev: number;
  readonly text: string;
}

/** Persists between stores: pass it to the next one. */
export class MemoryDisk {
  readonly kinds = new Map<RecordKind, Map<string, Cell>>();
  /** Unreadable records, byte for byte, by `kind/key`. */
  readonly quarantine = new Map<string, string>();

  cells(kind: RecordKind): Map<string, Cell> {
    const known = this.kinds.get(kind);
    if (known) return known;
    const cells = new Map<string, Cell>();
    this.kinds.set(kind, cells);
    return cells;
  }

  /** For tests: corrupts stored data. */
  corrupt(kind: RecordKind, key: string, text: string): void {
    const cell = this.cells(kind).get(key);
    this.cells(kind).set(key, { rev: cell?.rev ?? 1, text });
  }
}

export interface MemoryStoreOptions {
  readonly disk?: MemoryDisk;
  readonly maxConcurrentCommits?: number;
  /** Runs before a batch is applied; throwing or rejecting fails the batch. A promise delays the commit. */
  readonly beforeCommit?: (writes: readonly StoreWrite[]) => void | Promise<void>;
  /** Runs after a batch is applied; throwing makes the outcome unknown. */
  readonly afterCommit?: (writes: readonly StoreWrite[]) => void | Promise<void>;
}

export class MemoryStore implements ExaminedStore {
  readonly name = 'memory';
  readonly maxConcurrentCommits: number;
  readonly disk: MemoryDisk;
  readonly #options: MemoryStoreOptions;
  readonly #quarantined: Quarantined[] = [];
  #failure: { error: Error; times: number } | undefined;
  #closed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.#options = options;
    this.disk = options.disk ?? new MemoryDisk();
    this.maxConcurrentCommits = options.maxConcurrentCommits ?? 1;
  }

  /** Fails the next commits with `error`; without `times`, all until `recover`. */
  fail(error: Error, times: number = Number.POSITIVE_INFINITY): void {
    this.#failure = { error, times };
  }

  recover(): void {
    this.#failure = undefined;
  }

  async commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
    this.#refuseWhenClosed();
    const encoded = writes.map((write) => (write.type === 'put' ? encode(write) : undefined));
    for (const write of writes) checkKey(write.kind, write.key);
    await this.#options.beforeCommit?.(writes);
    if (this.#failure && this.#failure.times > 0) {
      this.#failure.times -= 1;
      throw this.#failure.error;
    }
    const outcomes = writes.map((write, at) => this.#apply(write, encoded[at]));
    await this.#options.afterCommit?.(writes);
    return outcomes;
  }

  async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    this.#refuseWhenClosed();
    checkKey(kind, key);
    return this.#read(kind, key);
  }

  async *scan(kind: RecordKind, query: PageQuery = {}): AsyncIterable<Entry> {
    this.#refuseWhenClosed();
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    for (const key of this.#keys(kind, query)) {
      if (left <= 0) return;
      const record = this.#read(kind, key);
      if (!record) continue;
      left -= 1;
      yield { key, record };
    }
  }

  async *examine(kind: RecordKind, query: PageQuery = {}): AsyncIterable<Examined> {
    this.#refuseWhenClosed();
    for (const key of this.#keys(kind, query).slice(0, query.limit)) {
      const found = await this.examineOne(kind, key);
      if (found) yield found;
    }
  }

  async examineOne(kind: RecordKind, key: string): Promise<Examined | undefined> {
    this.#refuseWhenClosed();
    const cell = this.disk.cells(kind).get(key);
    if (!cell) return undefined;
    try {
      return { key, record: parseRecord(cell.text) };
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      return { key, fault: error.message };
    }
  }

  async count(kind: RecordKind, prefix = ''): Promise<number> {
    this.#refuseWhenClosed();
    return this.#keys(kind, { prefix }).length;
  }

  quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #apply(write: StoreWrite, text: string | undefined): WriteOutcome {
    const cells = this.disk.cells(write.kind);
    const rev = write.type === 'put' ? write.record.rev : write.rev;
    if (cells.has(write.key)) this.#read(write.kind, write.key);
    const stored = cells.get(write.key);
    if (stored && stored.rev >= rev) return { written: false, why: 'stale', storedRev: stored.rev };
    if (text === undefined) cells.delete(write.key);
    else cells.set(write.key, { rev, text });
    return { written: true };
  }

  #keys(kind: RecordKind, { prefix = '', after = '' }: PageQuery): string[] {
    return [...this.disk.cells(kind).keys()]
      .filter((key) => key.startsWith(prefix) && (after === '' || compareKeys(key, after) > 0))
      .sort(compareKeys);
  }

  #read(kind: RecordKind, key: string): StoredRecord | undefined {
    const cell = this.disk.cells(kind).get(key);
    if (!cell) return undefined;
    try {
      return parseRecord(cell.text);
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      this.disk.quarantine.set(`${kind}/${key}`, cell.text);
      this.disk.cells(kind).delete(key);
      this.#quarantined.push({ kind, key, reason: error.message });
      return undefined;
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new StoreError('closed', 'the store is closed');
  }
}

const encode = (write: Extract<StoreWrite, { type: 'put' }>): string =>
  toJson(write.kind, write.key, write.record).toString();
