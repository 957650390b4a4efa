// The part of the group-commit writer that resources, sessions and secrets lean on: write, then be told it is durable.
import type { Entry, PageQuery, RecordKind, StoredRecord } from '../../store/snapshot-store.ts';
import { outcomeError } from '../outcomes/outcome-rules.ts';
import type { Receipt } from '../runtime/contract.ts';

/** What a writer says about a record; revision and time are the committer's. */
export type RecordBody = Pick<StoredRecord, 'machine' | 'version' | 'deadlines' | 'state'>;

export interface Committer {
  /** The newest encode of a key wins; every receipt is called once, after a write at least as new is durable. */
  put(kind: RecordKind, key: string, encode: () => RecordBody, settle?: Receipt): void;
  delete(kind: RecordKind, key: string, settle?: Receipt): void;
  /** Sees writes that are still on their way. */
  latest(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry>;
  /** At boot: tells which revision is stored. */
  seed(kind: RecordKind, key: string, rev: number): void;
}

/** Writes one record and resolves when it is durable. Rejects with a MonError (`storeFull`, `unavailable`). */
export const commitPut = (
  committer: Committer,
  kind: RecordKind,
  key: string,
  body: RecordBody,
): Promise<void> =>
  new Promise((resolve, reject) => {
    committer.put(
      kind,
      key,
      () => body,
      (outcome) => (outcome.type === 'done' ? resolve() : reject(outcomeError(outcome))),
    );
  });

/** Removes one record and resolves when that is durable. */
export const commitDelete = (committer: Committer, kind: RecordKind, key: string): Promise<void> =>
  new Promise((resolve, reject) => {
    committer.delete(kind, key, (outcome) =>
      outcome.type === 'done' ? resolve() : reject(outcomeError(outcome)),
    );
  });
