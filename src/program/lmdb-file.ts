// The file of an LMDB store (the backend's, an earlier agent's queue), looked at before it is mapped into memory: reading a page that the file no longer has ends
// the process with a signal, and an empty file looks like a new store. Both are refused here with a message.
//
// A file shorter than its newest meta page says is only suspected: pages at its end may have been given back before they
// were ever written, and nobody needs those. In a suspected file every page in use is looked up.
import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasAllPages, newestMeta, valuesOf } from './lmdb-pages.ts';

const dataFile = 'data.mdb';
const files = [dataFile, 'lock.mdb'];

/** The file can't be used; the message says what to do. */
export class DamagedFileError extends Error {
  override name = 'DamagedFileError';
}

const damaged = (path: string, what: string): DamagedFileError =>
  new DamagedFileError(
    `${path} is ${what}. Nothing was changed. Restore the directory from a backup; ` +
      'to give up what it held and begin with an empty store, move the directory away',
  );

/** Throws DamagedFileError when the file is there but is not whole. A directory without it is new. */
export const checkDataFile = (dir: string): void => {
  const path = join(dir, dataFile);
  if (!existsSync(path)) return;
  const { size } = statSync(path);
  if (size === 0)
    throw damaged(path, 'empty, but was written before: a directory without the file would be new');
  const file = openSync(path, 'r');
  try {
    const meta = newestMeta(file);
    if (meta === undefined) throw damaged(path, 'damaged: its first page is not that of an LMDB file');
    if (meta !== undefined && size < meta.bytes && !hasAllPages(file, meta, size))
      throw damaged(path, `cut off: it holds ${size} bytes of ${meta.bytes}`);
  } finally {
    closeSync(file);
  }
};

/**
 * Runs what opens the store in a directory, and closes its files to other users: LMDB makes them readable by all. When the
 * opening fails, a file that was not there before is removed: half a new file would be taken for a damaged one.
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
 * Every value of the store in a directory, in the order of the keys, read without LMDB; none when it has no store. Throws
 * DamagedFileError when the file is not whole. Only for a store that nobody has open.
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

/** Whether a directory holds a store. */
export const hasDataFile = (dir: string): boolean => existsSync(join(dir, dataFile));

/** Removes a store that is not needed any more. */
export const removeDataFiles = (dir: string): void => {
  for (const name of files) rmSync(join(dir, name), { force: true });
};
