// Restores a backup into an empty store of any kind. The file is read twice: once to compare every checksum, and to learn
// which keys came again, then to write. A store in which a restore was not finished says so and is not served from; the
// same file restored again ends it, since a record that is there already is not written twice.
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
  /** Records it holds, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly records: number;
  readonly unreadable: readonly { readonly kind: string; readonly key: string; readonly fault: string }[];
  /** Names of the encryption keys that sealed something in it. */
  readonly sealedWith: readonly string[];
  /** The last line of every key that came again. */
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
    // Which of the keys that came again were there in the first place is known only at a second look.
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

/** Every record once, as it was at the moment the backup is of. */
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

/** Refuses a store that holds something, unless that is what an unfinished restore of the same backup left. */
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

/** What an earlier run wrote, by revision: empty where this is the first. */
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

/** A commit whose outcome is unknown can be repeated: what is there already is found to be the same. */
const commitPatiently = async (store: MaintainedStore, writes: readonly StoreWrite[]) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.commit(writes);
    } catch (error) {
      const isOutage = error instanceof StoreError && error.code === 'unavailable';
      if (!isOutage || tries === maxRestoreTries) throw error;
      await pause(restoreRetryMs * 2 ** tries);
    }
  }
};

const commitAll = async (store: MaintainedStore, writes: readonly StoreWrite[]): Promise<void> => {
  const outcomes = await commitPatiently(store, writes);
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

/** Resolves when everything is durable and the store may be served from. `where` names the store in messages. */
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
    const count = await store.count(kind);
    if (count !== (counts[kind] ?? 0))
      throw new StoreError(
        'invalid',
        `${where} holds ${count} ${kind} records after the restore, and the backup ${counts[kind] ?? 0}; restore into an empty store`,
      );
  }
  await store.writeMarker(marker);
};
