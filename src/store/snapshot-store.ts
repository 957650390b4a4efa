// The SnapshotStore port: where every durable record lives. One contract suite runs on each implementation.
//
// A record is the durable form of one actor or one resource. Records are grouped by `kind` (a collection each) and
// found by `key`. Keys are paths (`namespace/entity/check`), so a namespace or an entity is a contiguous range.

export const recordKinds = [
  'check',
  'entity',
  'schedule',
  'silence',
  'client',
  'resource',
  'session',
  'system',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** A wait that outlives a restart: absolute wall time in milliseconds since the epoch. */
export interface StoredDeadline {
  readonly name: string;
  readonly atMs: number;
}

/** The envelope every record is stored in. */
export interface StoredRecord {
  /** Which machine or resource type wrote this, e.g. `check` or `core/v2.Handler`. */
  readonly machine: string;
  /** Version of the shape of `state`; a reader that does not know it quarantines the record. */
  readonly version: number;
  /** Grows with every write of this key. A store refuses a revision that is not newer than what it holds. */
  readonly rev: number;
  /** Wall time of the write, milliseconds since the epoch. */
  readonly savedAtMs: number;
  readonly deadlines: readonly StoredDeadline[];
  /** Plain JSON data: for a machine `{value, context}`, for a resource the resource itself. */
  readonly state: unknown;
}

export type StoreWrite =
  | { readonly type: 'put'; readonly kind: RecordKind; readonly key: string; readonly record: StoredRecord }
  /** `rev` must be newer than the stored one; deleting what is absent succeeds. */
  | { readonly type: 'delete'; readonly kind: RecordKind; readonly key: string; readonly rev: number };

/** What became of one write of a batch, in the order of the batch. */
export type WriteOutcome =
  | { readonly written: true }
  /** Another writer holds a newer revision: this process no longer owns the key. */
  | { readonly written: false; readonly why: 'stale'; readonly storedRev: number };

export interface Entry {
  readonly key: string;
  readonly record: StoredRecord;
}

export interface PageQuery {
  /** Only keys that begin with this, e.g. `default/` or `default/web-01/`. */
  readonly prefix?: string;
  /** Only keys strictly after this one: the last key of the page before. */
  readonly after?: string;
  /** At most this many entries; absent means all. */
  readonly limit?: number;
}

/** A record that could not be read back: kept aside byte for byte, reported, never guessed at. */
export interface Quarantined {
  readonly kind: RecordKind;
  readonly key: string;
  readonly reason: string;
}

export interface SnapshotStore {
  readonly name: string;
  /** How many batches may be under way at once. Batches under way never share a key; the caller sees to that. */
  readonly maxConcurrentCommits: number;
  /**
   * Writes a batch. Resolves when every accepted write is durable (it survives a crash of this process and of the
   * machine); outcomes come in the order of `writes`. Rejects with a StoreError: nothing of the batch may then be
   * taken as written, and some of it may be. A batch holds a key at most once. Records are read before `commit` returns,
   * or never changed: a store may encode them at any time until it settles.
   */
  commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]>;
  get(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  /** Entries in ascending byte order of key; reads lazily, so a caller may stop early. */
  scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry>;
  count(kind: RecordKind, prefix?: string): Promise<number>;
  /** What was found unreadable since this store was opened. */
  quarantined(): readonly Quarantined[];
  /** Waits for writes under way, then lets go of files and sockets. */
  close(): Promise<void>;
}

/**
 * `full`: no space left, try again when there is; `unavailable`: not reachable now, or the outcome is unknown, worth
 * trying again; `closed`: asked after close; `invalid`: what was asked can't be done as it is, now or later.
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
