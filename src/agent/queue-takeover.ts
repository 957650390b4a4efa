// Queue takeover: the event queue of agents up to 0.1.0 was an LMDB file. Its events are moved into the files of today, once, at
// the first start; the old file goes only after they are on disk. A crash in between moves them again, and the backend applies
// an event with the same id once.

import { hasDataFile, readValues, removeDataFiles } from '../program/lmdb-file.ts';
import { errorText, type Logger } from '../program/log.ts';
import type { QueueFiles } from './queue-files.ts';

/** Events written together: one fsync for so many. */
const batchSize = 256;

/** Rejects, and changes nothing of the old file, when it is damaged or when there is no space for its events. */
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
    throw new Error(`the queue of an earlier version can't be taken over: ${errorText(error)}`, {
      cause: error,
    });
  }
  removeDataFiles(folder);
  log.warn({ path: folder, events: moved }, 'took over the event queue of an earlier version');
};
