// What maintenance needs of a store beyond SnapshotStore: reading every record without changing any, moving bad ones
// aside and back, and the format it is in. Backups, upgrades and `mon-backend check-store` are built on this.
import type { StoreMarker } from './format-marker.ts';
import type { PageQuery, RecordKind, SnapshotStore, StoredRecord } from './snapshot-store.ts';

/** A record as it was found: read, or with the reason why it can't be. */
export type Examined =
  | { readonly key: string; readonly record: StoredRecord }
  | { readonly key: string; readonly fault: string };

export interface ExaminedStore extends SnapshotStore {
  /** As `scan`, but what is unreadable is told with its reason and stays where it is. */
  examine(kind: RecordKind, query?: PageQuery): AsyncIterable<Examined>;
  examineOne(kind: RecordKind, key: string): Promise<Examined | undefined>;
}

/** A record that was put aside. */
export interface Aside {
  readonly id: string;
  readonly kind: RecordKind;
  readonly key: string;
  readonly atMs: number;
  /** Where the store keeps it. */
  readonly reason?: string;
}

/** `taken`: a record was written under the key meanwhile; it stays, and so does what was put aside. */
export type PutBack = 'done' | 'absent' | 'taken';

export interface MaintainedStore extends ExaminedStore {
  readonly marker: StoreMarker;
  /** Resolves when it is durable. */
  writeMarker(marker: StoreMarker): Promise<void>;
  /** Moves a record out of the way as it is, readable or not. */
  setAside(kind: RecordKind, key: string, reason: string): Promise<void>;
  listAside(): AsyncIterable<Aside>;
  putBack(id: string): Promise<PutBack>;
  /** The clock of the server that keeps the store, in Unix milliseconds. Absent where this process keeps it. */
  serverTimeMs?(): Promise<number>;
}

const asideId = /^([a-z]+)\/(.+)@(\d+)(?:#(\d+))?$/s;

export const asideName = (kind: RecordKind, key: string, rev?: number): string =>
  `${kind}/${key}@${Date.now()}${rev === undefined ? '' : `#${rev}`}`;

/** `rev` where the name tells it: the revision outside the bytes, which they can't tell themselves when they are damaged. */
export const parseAside = (id: string): (Aside & { readonly rev?: number }) | undefined => {
  const [, kind, key, at, rev] = asideId.exec(id) ?? [];
  if (kind === undefined || key === undefined) return undefined;
  return {
    id,
    kind: kind as RecordKind,
    key,
    atMs: Number(at),
    ...(rev === undefined ? {} : { rev: Number(rev) }),
  };
};
