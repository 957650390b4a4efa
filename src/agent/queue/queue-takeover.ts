// Migrates the LMDB event queue of agents up to 0.1.0 to the current files, once, at the first start. The old file
// is removed after the events are on disk. A crash in between migrates them again; the backend ignores duplicates
// by id.

import { hasDataFile, readValues, removeDataFiles } from '../../program/lmdb-file.ts';
import { errorText, type Logger } from '../../program/log.ts';
import type { QueueFiles } from './queue-files.ts';

/** Events written with one fsync. */
const batchSize = 256;

/** Rejects without changing the old file if it is damaged or there is not enough space. */
export const takeOverLmdbQueue = async (folder: string, files: QueueFiles, log: Logger): Promise<void> => {
  if (!hasDataFile(folder)) return;
  const known = new Set(files.after(0, Number.POSITIVE_INFINITY));
  let moved = 0;
  let batch: Promise<void>[] = [];
  const settle = async () => {
    await Promise.all(batch);
    moved += batch.length;
    batch = [];
  };
  try {
    for (const value of readValues(folder)) {
      batch.push(files.append(value.toString('utf8')));
      if (batch.length >= batchSize) await settle();
    }
    await settle();
  } catch (error) {
    await Promise.allSettled(batch);
    const half = files.after(0, Number.POSITIVE_INFINITY).filter((key) => !known.has(key));
    await Promise.allSettled(half.map((key) => files.remove(key)));
    throw new Error(`unable to migrate the queue of an earlier version: ${errorText(error)}`, {
      cause: error,
    });
  }
  removeDataFiles(folder);
  log.warn({ path: folder, events: moved }, 'migrated the event queue of an earlier version');
};
