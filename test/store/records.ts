// What the tests of this folder write: small records whose content tells which write they came from.
import type { RecordKind, StoredRecord, StoreWrite, WriteOutcome } from '../../src/store/snapshot-store.ts';

export const record = (rev: number, state: unknown = { n: rev }): StoredRecord => ({
  machine: 'check',
  version: 1,
  rev,
  savedAtMs: 1_700_000_000_000 + rev,
  deadlines: [{ name: 'ttl', atMs: 1_700_000_060_000 }],
  state,
});

export const put = (key: string, rev: number, state?: unknown, kind: RecordKind = 'check'): StoreWrite => ({
  type: 'put',
  kind,
  key,
  record: record(rev, state),
});

export const remove = (key: string, rev: number, kind: RecordKind = 'check'): StoreWrite => ({
  type: 'delete',
  kind,
  key,
  rev,
});

export const written: WriteOutcome = { written: true };

export const stale = (storedRev: number): WriteOutcome => ({ written: false, why: 'stale', storedRev });

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** For stores that nobody else takes over in a test. */
export const onOwnershipLost = (error: Error): never => {
  throw error;
};
