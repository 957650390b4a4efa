// Writes a backup file: the items of an export as lines with checksums, compressed. The file gets its name only when it is
// complete and durable; until then it is `<name>.part`.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, constants as zlib } from 'node:zlib';
import { version } from '../../program/version.ts';
import type { StoreMarker } from '../format-marker.ts';
import { type BackupEnd, BackupError, type BackupHeader, backupFormat, Checksums } from './backup-format.ts';
import type { ExportItem } from './consistent-export.ts';
import { blockLines } from './limits.ts';

export interface BackupResult {
  readonly id: string;
  /** Number of record lines, repeated keys included. */
  readonly records: number;
  /** Size before and after compression. */
  readonly bytes: number;
  readonly fileBytes: number;
  readonly unreadable: readonly { readonly kind: string; readonly key: string; readonly fault: string }[];
}

export interface BackupSource {
  readonly store: string;
  readonly marker: Pick<StoreMarker, 'format' | 'migrated'>;
  readonly items: AsyncIterable<ExportItem>;
}

/** Throws BackupError if the file exists and may not be replaced. */
export const refuseToReplace = (file: string): void => {
  if (existsSync(file))
    throw new BackupError(`${file} is there already; name another file, or say --force to replace it`);
};

const lineOf = (item: ExportItem): object => {
  switch (item.type) {
    case 'record':
      return { kind: item.kind, key: item.key, record: item.record };
    case 'gone':
      return { kind: item.kind, key: item.key, gone: true };
    case 'unreadable':
      return { unreadable: { kind: item.kind, key: item.key, fault: item.fault } };
    case 'changes':
      return { changes: true };
  }
};

/** Yields the lines of a backup, from header to end. Calls `onLine` with the progress. */
async function* linesOf(
  { store, marker, items }: BackupSource,
  id: string,
  onItem: (item: ExportItem, bytes: number) => void,
): AsyncGenerator<string, void, void> {
  const sums = new Checksums();
  let lines = 0;
  let blocks = 0;
  const line = (value: object): string => {
    const text = JSON.stringify(value);
    sums.add(text);
    lines += 1;
    return `${text}\n`;
  };
  const header: BackupHeader = {
    mon: 'backup',
    format: backupFormat,
    id,
    program: version,
    store,
    storeFormat: marker.format,
    migrated: marker.migrated,
    startedAt: new Date().toISOString(),
  };
  const block = (): string => {
    blocks += 1;
    return line({ block: blocks, sha256: sums.endBlock() });
  };
  yield line(header);
  let inBlock = 1;
  for await (const item of items) {
    const text = line(lineOf(item));
    onItem(item, text.length);
    yield text;
    inBlock += 1;
    if (inBlock < blockLines) continue;
    inBlock = 0;
    yield block();
  }
  yield block();
  const end: BackupEnd = { blocks, lines, finishedAt: new Date().toISOString() };
  yield `${JSON.stringify({ end, sha256: sums.end(end) })}\n`;
}

/** Joins lines into larger chunks, since a stream has a fixed cost per chunk. */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Buffer, void, void> {
  let waiting: string[] = [];
  let length = 0;
  for await (const line of lines) {
    waiting.push(line);
    length += line.length;
    if (length < 65_536) continue;
    yield Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
  }
  yield Buffer.from(waiting.join(''));
}

/** Rejects if writing fails; only the `.part` file is left then, which the next run replaces. */
export const writeBackup = async (
  file: string,
  source: BackupSource,
  onProgress: (records: number, bytes: number) => void = () => {},
): Promise<BackupResult> => {
  const id = randomUUID();
  const part = `${file}.part`;
  let records = 0;
  let bytes = 0;
  const unreadable: { kind: string; key: string; fault: string }[] = [];
  const lines = linesOf(source, id, (item, lineBytes) => {
    bytes += lineBytes;
    if (item.type === 'record') records += 1;
    if (item.type === 'unreadable') unreadable.push(item);
    onProgress(records, bytes);
  });
  // Remove it first, since an existing file would keep its permissions.
  rmSync(part, { force: true });
  const out = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
  await once(out, 'open');
  try {
    await pipeline(inChunks(lines), createGzip({ level: zlib.Z_BEST_SPEED }), out);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  renameSync(part, file);
  syncFolder(dirname(resolve(file)));
  return { id, records, bytes, fileBytes: out.bytesWritten, unreadable };
};

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};
