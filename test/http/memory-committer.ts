// A committer in memory: commits in the next turn, fails when told to, remembers across "restarts". As the real one does, it
// keeps what it failed to write and writes its newest form as soon as it can.

import { storeOutcome } from '../../src/actors/durable/store-outcome.ts';
import type { Committer, RecordBody } from '../../src/actors/resources/committer.ts';
import type { Receipt } from '../../src/actors/runtime/contract.ts';
import {
  type Entry,
  type RecordKind,
  type StoredRecord,
  StoreError,
} from '../../src/store/snapshot-store.ts';

export class MemoryCommitter implements Committer {
  readonly records = new Map<string, StoredRecord>();
  /** Set to make every write fail. */
  failWith: StoreError | null = null;
  /** Set to hold every commit until it resolves. */
  gate: Promise<void> = Promise.resolve();

  /** By key: what failed and is still to be written. */
  readonly #dirty = new Map<string, () => void>();

  put(kind: RecordKind, key: string, encode: () => RecordBody, settle?: Receipt): void {
    const id = `${kind}|${key}`;
    const write = (): void => {
      const rev = (this.records.get(id)?.rev ?? 0) + 1;
      this.records.set(id, structuredClone({ ...encode(), rev, savedAtMs: 0 }));
    };
    this.#later(id, write, settle);
  }

  delete(kind: RecordKind, key: string, settle?: Receipt): void {
    const id = `${kind}|${key}`;
    this.#later(id, () => this.records.delete(id), settle);
  }

  async latest(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    return structuredClone(this.records.get(`${kind}|${key}`));
  }

  async *scan(kind: RecordKind, query: { prefix?: string } = {}): AsyncGenerator<Entry> {
    const start = `${kind}|${query.prefix ?? ''}`;
    for (const [id, record] of [...this.records].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (id.startsWith(start)) yield { key: id.slice(kind.length + 1), record: structuredClone(record) };
  }

  seed(): void {}

  #later(id: string, write: () => void, settle: Receipt | undefined): void {
    this.gate
      .then(() => {
        this.#dirty.set(id, write);
        if (this.failWith !== null) throw this.failWith;
        for (const due of this.#dirty.values()) due();
        this.#dirty.clear();
        settle?.({ type: 'done' });
      })
      .catch((error: unknown) => settle?.(storeOutcome(error as Error)));
  }
}

export const storeFull = (): StoreError => new StoreError('full', 'no space left on device');
