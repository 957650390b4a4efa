// The SnapshotStore interface for durable records. One contract test suite runs on each implementation.
//
// A record is the durable form of one actor or one resource. Records are grouped by `kind` (one collection each)
// and identified by `key`. Keys are paths (`namespace/entity/check`), so a namespace or an entity is a contiguous
// range.

export const recordKinds = [
  'check',
  // After the checks that name them: see docs/actors.md.
  'delivery',
  'entity',
  'schedule',
  'silence',
  'client',
  'resource',
  'session',
  'system',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** A deadline that survives a restart: absolute Unix time in milliseconds. */
export interface StoredDeadline {
  readonly name: string;
  readonly atMs: number;
}

/** The envelope of every record. */
export interface StoredRecord {
  /** The machine or resource type that wrote it, e.g. `check` or `core/v2.Handler`. */
  readonly machine: string;
  /** Schema version of `state`; a reader that does not support it quarantines the record. */
  readonly version: number;
  /** Increases with every write of this key. A store rejects a revision that is not newer than the stored one. */
  readonly rev: number;
  /** Time of the write in Unix milliseconds. */
  readonly savedAtMs: number;
  readonly deadlines: readonly StoredDeadline[];
  /** Plain JSON data: `{value, context}` for a machine, the resource itself for a resource. */
  readonly state: unknown;
}

/**
 * Where a write stands within its batch. When a batch ends in the middle (a crash, an outage), no other write of it is
 * stored without those that are `first`, and none that is `last` without the others.
 */
export type WriteOrder = 'first' | 'last';

export type StoreWrite =
  | {
      readonly type: 'put';
      readonly kind: RecordKind;
      readonly key: string;
      readonly record: StoredRecord;
      readonly order?: WriteOrder;
    }
  /** `rev` must be newer than the stored one; deleting a missing record succeeds. */
  | {
      readonly type: 'delete';
      readonly kind: RecordKind;
      readonly key: string;
      readonly rev: number;
      readonly order?: WriteOrder;
    };

/** The outcome of one write, in the order of the batch. */
export type WriteOutcome =
  /** `rev` if it is not the one asked for: a write of a replaced owner had arrived first and was overwritten. */
  | { readonly written: true; readonly rev?: number }
  /** Another writer stored a newer revision: this process no longer owns the key. */
  | { readonly written: false; readonly why: 'stale'; readonly storedRev: number };

export interface Entry {
  readonly key: string;
  readonly record: StoredRecord;
}

export interface PageQuery {
  /** Only keys with this prefix, e.g. `default/` or `default/web-01/`. */
  readonly prefix?: string;
  /** Only keys strictly after this one: the last key of the previous page. */
  readonly after?: string;
  /** Maximum number of entries; absent means all. */
  readonly limit?: number;
}

/** An unreadable record: preserved byte for byte and reported. */
export interface Quarantined {
  readonly kind: RecordKind;
  readonly key: string;
  readonly reason: string;
}

export interface SnapshotStore {
  readonly name: string;
  /** Maximum number of concurrent batches. The caller ensures that they do not share keys. */
  readonly maxConcurrentCommits: number;
  /**
   * Writes a batch. Resolves when every accepted write is durable (survives a crash of the process and of the
   * machine), with outcomes in the order of `writes`. Rejects with a StoreError if the outcome is unknown: some
   * writes may have been stored. Keys are unique within a batch. Records must not be modified until the commit
   * settles, since a store may encode them at any time.
   */
  commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]>;
  get(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  /** Entries in byte order of their keys; reads lazily, so the caller may stop early. */
  scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry>;
  count(kind: RecordKind, prefix?: string): Promise<number>;
  /** Unreadable records found since this store was opened. */
  quarantined(): readonly Quarantined[];
  /** Waits for pending writes, then closes files and sockets. */
  close(): Promise<void>;
}

/**
 * `full`: no space left, retry when there is; `unavailable`: unreachable or unknown outcome, retry; `closed`:
 * called after close; `invalid`: permanently impossible.
 */
export type StoreErrorCode = 'full' | 'unavailable' | 'closed' | 'invalid';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
