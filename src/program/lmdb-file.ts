// Validates the data file of an LMDB store (the backend's, or an earlier agent's queue) before it is mapped into
// memory. Reading a page beyond the end of the file kills the process with a signal, and an empty file looks like a
// new store. Both are rejected here with a message.
//
// A file shorter than its newest meta page says is only suspicious: pages at the end may have been freed before
// they were ever written. In that case, or when asked to, every page in use is checked.
import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstBadPage, newestMeta, valuesOf } from './lmdb-pages.ts';

const dataFile = 'data.mdb';
const files = [dataFile, 'lock.mdb'];

/** The file is unusable; the message says what to do. */
export class DamagedFileError extends Error {
  override name = 'DamagedFileError';
  readonly path: string;
  /** What is wrong with the file: `truncated: it has 4096 of 81920 bytes`. */
  readonly what: string;

  constructor(path: string, what: string) {
    super(
      `${path} is ${what}. Nothing was changed. Restore the directory from a backup; ` +
        'to discard its contents and start with an empty store, move the directory away',
    );
    this.path = path;
    this.what = what;
  }
}

/** Which pages are read: all of them take about a second per 500 MB. */
export type Thoroughness = 'allPages' | 'ifTruncated';

/** Throws if the file is bad, unless another process wrote to it meanwhile. */
const checkPages = (file: number, path: string, size: number, how: Thoroughness): void => {
  const meta = newestMeta(file);
  if (meta === undefined)
    throw new DamagedFileError(path, 'damaged: its first page is not the first page of an LMDB file');
  const isShort = size < meta.bytes;
  if (how !== 'allPages' && !isShort) return;
  const bad = firstBadPage(file, meta, size);
  if (bad === undefined || newestMeta(file)?.transaction !== meta.transaction) return;
  throw new DamagedFileError(
    path,
    isShort
      ? `truncated: it has ${size} of ${meta.bytes} bytes`
      : `damaged: page ${bad.number} (at byte ${bad.number * meta.pageBytes}) ${bad.why === 'missing' ? 'does not exist' : 'is not what belongs there'}`,
  );
};

/**
 * Throws DamagedFileError if the file exists but can't be used. A directory without the file is a new store. A page
 * beyond the end of the file is always found, other damage only if all pages are read.
 */
export const checkDataFile = (dir: string, how: Thoroughness = 'allPages'): void => {
  const path = join(dir, dataFile);
  if (!existsSync(path)) return;
  const { size } = statSync(path);
  if (size === 0)
    throw new DamagedFileError(path, 'empty, although it was written before; a new store has no such file');
  const file = openSync(path, 'r');
  try {
    checkPages(file, path, size, how);
  } finally {
    closeSync(file);
  }
};

/** The size of the file; 0 if there is none. */
export const dataFileBytes = (dir: string): number =>
  statSync(join(dir, dataFile), { throwIfNoEntry: false })?.size ?? 0;

/**
 * Runs a function that opens the store in a directory, then removes access for other users: LMDB creates files
 * readable by all. If opening fails, a new file is removed, since it would later be reported as damaged.
 */
export const openingFiles = <T>(dir: string, open: () => T): T => {
  const isNew = !existsSync(join(dir, dataFile));
  try {
    const opened = open();
    if (process.platform !== 'win32') for (const name of files) chmodSync(join(dir, name), 0o600);
    return opened;
  } catch (error) {
    if (isNew) rmSync(join(dir, dataFile), { force: true });
    throw error;
  }
};

/**
 * Reads every value of the store in a directory, in key order, without LMDB; empty if there is no store. Throws
 * DamagedFileError if the file is incomplete. Only for stores that no process has open.
 */
export function* readValues(dir: string): Generator<Buffer> {
  checkDataFile(dir);
  const path = join(dir, dataFile);
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const meta = newestMeta(file);
    if (meta !== undefined) yield* valuesOf(file, meta);
  } finally {
    closeSync(file);
  }
}

/** Whether a directory contains a store. */
export const hasDataFile = (dir: string): boolean => existsSync(join(dir, dataFile));

/** Removes a store that is no longer needed. */
export const removeDataFiles = (dir: string): void => {
  for (const name of files) rmSync(join(dir, name), { force: true });
};
