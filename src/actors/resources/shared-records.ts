// Records that every backend of a cluster holds whole and any of them writes: configuration and logins. A write names the
// revision that this backend has read, so what another one wrote meanwhile is never lost; the caller reads again and decides
// again. What was written is told to the others, who read it.

import type { SharedStore } from '../../store/record-fence.ts';
import type { Entry, PageQuery, RecordKind, StoredRecord } from '../../store/snapshot-store.ts';
import { storeOutcome } from '../durable/store-outcome.ts';
import { outcomeError } from '../outcomes/outcome-rules.ts';
import type { RecordChange, RecordWriter } from './record-writer.ts';

export type SharedRecordStore = Pick<SharedStore, 'get' | 'scan' | 'replace'>;

export interface SharedKey {
  readonly kind: RecordKind;
  readonly key: string;
}

export interface SharedRecordsOptions {
  readonly store: SharedRecordStore;
  readonly wallMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** The record was written or deleted by this backend: the others are to read it. */
  readonly changed: (key: SharedKey) => void;
  /** The outcome of a write is unknown: all are to read the record, this backend as well. */
  readonly doubted: (key: SharedKey) => void;
}

/**
 * A record that was deleted and created again must not have a revision that somebody knows from before: the first one is drawn,
 * with room for all that follow.
 */
const firstRevs = 2 ** 40;

export class SharedRecords implements RecordWriter {
  readonly #options: SharedRecordsOptions;
  /** The revisions that this backend has read, by kind and key. */
  readonly #revs = new Map<RecordKind, Map<string, number>>();

  constructor(options: SharedRecordsOptions) {
    this.#options = options;
  }

  async *scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry> {
    for await (const entry of this.#options.store.scan(kind, query)) {
      this.#revsOf(kind).set(entry.key, entry.record.rev);
      yield entry;
    }
  }

  /** 0 if there is no record, as far as this backend has read. */
  rev({ kind, key }: SharedKey): number {
    return this.#revsOf(kind).get(key) ?? 0;
  }

  /** Rejects with a MonError. */
  async read({ kind, key }: SharedKey): Promise<StoredRecord | undefined> {
    const record = await this.#ask(() => this.#options.store.get(kind, key));
    if (record === undefined) this.#revsOf(kind).delete(key);
    else this.#revsOf(kind).set(key, record.rev);
    return record;
  }

  /** Whether there is a record now, whatever this backend has read. Rejects with a MonError. */
  async isStored({ kind, key }: SharedKey): Promise<boolean> {
    return (await this.#ask(() => this.#options.store.get(kind, key))) !== undefined;
  }

  /** What is stored may be something else than what this backend has read: all read it again. */
  doubt(of: SharedKey): void {
    this.#options.doubted(of);
  }

  /** The keys of records that are not stored as this backend has read them. */
  async outdated(kind: RecordKind, prefix = ''): Promise<readonly string[]> {
    const before = new Map([...this.#revsOf(kind)].filter(([key]) => key.startsWith(prefix)));
    const keys: string[] = [];
    for await (const { key, record } of this.#options.store.scan(kind, { prefix })) {
      if (before.get(key) !== record.rev) keys.push(key);
      before.delete(key);
    }
    return [...keys, ...before.keys()];
  }

  async write({ kind, key, body }: Omit<RecordChange, 'before'>): Promise<boolean> {
    const { store, wallMs, random, changed, doubted } = this.#options;
    const seenRev = this.rev({ kind, key });
    const rev = seenRev === 0 ? 1 + Math.floor(random() * firstRevs) : seenRev + 1;
    const record = body && { ...body, rev, savedAtMs: wallMs() };
    try {
      if (!(await this.#ask(() => store.replace(kind, key, seenRev, record)))) return false;
    } catch (error) {
      doubted({ kind, key });
      throw error;
    }
    if (record === undefined) this.#revsOf(kind).delete(key);
    else this.#revsOf(kind).set(key, rev);
    changed({ kind, key });
    return true;
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw outcomeError(storeOutcome(error as Error));
    }
  }

  #revsOf(kind: RecordKind): Map<string, number> {
    const known = this.#revs.get(kind) ?? new Map<string, number>();
    this.#revs.set(kind, known);
    return known;
  }
}
