// A store for long simulations: keeps the records themselves, where the memory store keeps their text. Records are never
// changed after a commit, so nothing is shared that could move. Not for tests of what a restart reads back.
import { compareKeys } from '../../../src/store/record-key.ts';
import type {
  Entry,
  PageQuery,
  Quarantined,
  RecordKind,
  SnapshotStore,
  StoredRecord,
  StoreWrite,
  WriteOutcome,
} from '../../../src/store/snapshot-store.ts';

const written: WriteOutcome = { written: true };

export class ReferenceStore implements SnapshotStore {
  readonly name = 'references';
  readonly maxConcurrentCommits = 1;
  readonly #kinds = new Map<RecordKind, Map<string, StoredRecord>>();

  async commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
    return writes.map((write) => this.#apply(write));
  }

  async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    return this.#records(kind).get(key);
  }

  async *scan(kind: RecordKind, { prefix = '', after = '', limit }: PageQuery = {}): AsyncIterable<Entry> {
    const keys = [...this.#records(kind).keys()]
      .filter((key) => key.startsWith(prefix) && (after === '' || compareKeys(key, after) > 0))
      .sort(compareKeys)
      .slice(0, limit);
    for (const key of keys) {
      const record = this.#records(kind).get(key);
      if (record !== undefined) yield { key, record };
    }
  }

  async count(kind: RecordKind, prefix = ''): Promise<number> {
    return [...this.#records(kind).keys()].filter((key) => key.startsWith(prefix)).length;
  }

  quarantined(): readonly Quarantined[] {
    return [];
  }

  async close(): Promise<void> {}

  #records(kind: RecordKind): Map<string, StoredRecord> {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    const records = new Map<string, StoredRecord>();
    this.#kinds.set(kind, records);
    return records;
  }

  #apply(write: StoreWrite): WriteOutcome {
    const records = this.#records(write.kind);
    const rev = write.type === 'put' ? write.record.rev : write.rev;
    const stored = records.get(write.key);
    if (stored !== undefined && stored.rev >= rev) {
      return { written: false, why: 'stale', storedRev: stored.rev };
    }
    if (write.type === 'put') records.set(write.key, write.record);
    else records.delete(write.key);
    return written;
  }
}
