// Restores a backup into an empty store of any kind. The file is read twice: first to verify all checksums and to find keys
// that occur several times, then to write. A store with an unfinished restore is marked, and no backend serves from it;
// restoring the same file again completes it and skips records that are already there.
import { setTimeout as pause } from 'node:timers/promises';
import { newMarker } from '../format-marker.ts';
import type { MaintainedStore } from '../maintained-store.ts';
import {
  type RecordKind,
  recordKinds,
  type StoredRecord,
  StoreError,
  type StoreWrite,
} from '../snapshot-store.ts';
import { type BackupEnd, BackupError, type BackupHeader } from './backup-format.ts';
import { maxRestoreTries, restoreBatchBytes, restoreBatchWrites, restoreRetryMs } from './limits.ts';
import { readBackup } from './read-backup.ts';

export interface VerifiedBackup {
  readonly file: string;
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  /** Number of records by kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly records: number;
  readonly unreadable: readonly { readonly kind: string; readonly key: string; readonly fault: string }[];
  /** Names of the encryption keys that it needs. */
  readonly sealedWith: readonly string[];
  /** The line of the last occurrence of each repeated key. */
  readonly lastLines: ReadonlyMap<string, number>;
}

const idOf = (kind: string, key: string): string => `${kind}/${key}`;

const sealedWith = ({ state }: StoredRecord): string | undefined => {
  const { key, sealed } = (state ?? {}) as { readonly key?: unknown; readonly sealed?: unknown };
  return typeof key === 'string' && typeof sealed === 'string' ? key : undefined;
};

/** Reads the whole file. Throws BackupError. */
export const verifyBackup = async (
  file: string,
  onProgress: (lines: number) => void = () => {},
): Promise<VerifiedBackup> => {
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  const counts: Partial<Record<RecordKind, number>> = {};
  const count = (kind: RecordKind, more: number) => {
    counts[kind] = (counts[kind] ?? 0) + more;
  };
  const lastLines = new Map<string, number>();
  const lastIsRecord = new Map<string, boolean>();
  const sealers = new Set<string>();
  const unreadable: { kind: string; key: string; fault: string }[] = [];
  let isChanges = false;
  let lines = 0;
  for await (const item of readBackup(file)) {
    lines += 1;
    onProgress(lines);
    if (item.type === 'header') header = item.header;
    if (item.type === 'end') end = item.end;
    if (item.type === 'changes') isChanges = true;
    if (item.type === 'unreadable') unreadable.push(item.line);
    if (item.type !== 'record' && item.type !== 'gone') continue;
    const { kind, key } = item.line;
    const sealer = item.type === 'record' ? sealedWith(item.line.record) : undefined;
    if (sealer !== undefined) sealers.add(sealer);
    if (!isChanges) count(kind, 1);
    else {
      lastLines.set(idOf(kind, key), item.at);
      lastIsRecord.set(idOf(kind, key), item.type === 'record');
    }
  }
  if (header === undefined || end === undefined) throw new BackupError(`${file} is no backup of mon`);
  if (lastLines.size > 0) {
    // Only the second pass knows which of the repeated keys also occurred before the changes.
    for await (const { kind, key } of firstRecords(file)) if (lastLines.has(idOf(kind, key))) count(kind, -1);
    for (const [id, isRecord] of lastIsRecord)
      if (isRecord) count(id.slice(0, id.indexOf('/')) as RecordKind, 1);
  }
  const records = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return { file, header, end, counts, records, unreadable, sealedWith: [...sealers], lastLines };
};

/** The records before the changes. */
async function* firstRecords(file: string) {
  for await (const item of readBackup(file)) {
    if (item.type === 'changes') return;
    if (item.type === 'record') yield item.line;
  }
}

/** Yields every record once, as of the backup's point in time. */
async function* finalRecords({ file, header, lastLines }: VerifiedBackup) {
  let isChanges = false;
  for await (const item of readBackup(file)) {
    if (item.type === 'header' && item.header.id !== header.id)
      throw new BackupError(`${file} is another backup than a moment ago; restore it again`);
    if (item.type === 'changes') isChanges = true;
    if (item.type !== 'record') continue;
    const last = lastLines.get(idOf(item.line.kind, item.line.key));
    if (isChanges ? last === item.at : last === undefined) yield item;
  }
}

/** Rejects a store that is not empty, unless an unfinished restore of the same backup wrote its content. */
const requireEmpty = async (
  store: MaintainedStore,
  { header }: VerifiedBackup,
  where: string,
): Promise<void> => {
  const { restoring } = store.marker;
  if (restoring?.backup === header.id) return;
  if (restoring !== undefined)
    throw new BackupError(
      `${where} holds an unfinished restore of another backup (${restoring.backup}): ` +
        'restore that file again, or take an empty store',
    );
  for (const kind of recordKinds) {
    const count = await store.count(kind);
    if (count > 0)
      throw new BackupError(
        `${where} is not empty (${count} ${kind} records): a backup is restored into an empty store only; ` +
          'move the old one away, or name another',
      );
  }
};

/** Revisions that an earlier run wrote; empty on the first run. */
const writtenBefore = async (
  store: MaintainedStore,
  { header }: VerifiedBackup,
): Promise<ReadonlyMap<string, number>> => {
  const revs = new Map<string, number>();
  if (store.marker.restoring?.backup !== header.id) return revs;
  for (const kind of recordKinds)
    for await (const { key, record } of store.scan(kind)) revs.set(idOf(kind, key), record.rev);
  return revs;
};

/** Repeats what an outage ended. A commit whose outcome is unknown too: records that are already there compare as equal. */
const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isOutage = error instanceof StoreError && error.code === 'unavailable';
      if (!isOutage || tries === maxRestoreTries) throw error;
      await pause(restoreRetryMs * 2 ** tries);
    }
  }
};

const commitAll = async (store: MaintainedStore, writes: readonly StoreWrite[]): Promise<void> => {
  const outcomes = await patiently(() => store.commit(writes));
  for (const [at, write] of writes.entries()) {
    const outcome = outcomes[at];
    if (outcome === undefined || outcome.written || write.type !== 'put') continue;
    if (outcome.storedRev !== write.record.rev)
      throw new StoreError(
        'invalid',
        `${write.kind} ${write.key} was written by somebody else during the restore`,
      );
  }
};

/** Resolves when everything is durable and a backend may use the store. `where` names the store in messages. */
export const restoreBackup = async (
  store: MaintainedStore,
  backup: VerifiedBackup,
  where: string,
  onProgress: (records: number) => void = () => {},
): Promise<void> => {
  await requireEmpty(store, backup, where);
  const { header, counts } = backup;
  const before = await writtenBefore(store, backup);
  const marker = newMarker(header.migrated);
  const restoring = { backup: header.id, startedAt: new Date().toISOString() };
  await store.writeMarker({ ...marker, restoring });
  let batch: StoreWrite[] = [];
  let bytes = 0;
  let records = before.size;
  const flush = async (): Promise<void> => {
    await commitAll(store, batch);
    records += batch.length;
    onProgress(records);
    batch = [];
    bytes = 0;
  };
  for await (const { line, bytes: lineBytes } of finalRecords(backup)) {
    if (before.get(idOf(line.kind, line.key)) === line.record.rev) continue;
    batch.push({ type: 'put', kind: line.kind, key: line.key, record: line.record });
    bytes += lineBytes;
    if (batch.length >= restoreBatchWrites || bytes >= restoreBatchBytes) await flush();
  }
  if (batch.length > 0) await flush();
  for (const kind of recordKinds) {
    const count = await patiently(() => store.count(kind));
    if (count !== (counts[kind] ?? 0))
      throw new StoreError(
        'invalid',
        `${where} holds ${count} ${kind} records after the restore, and the backup ${counts[kind] ?? 0}; restore into an empty store`,
      );
  }
  await patiently(() => store.writeMarker(marker));
};
