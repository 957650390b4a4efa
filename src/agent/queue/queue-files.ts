// Append-only files of texts with ascending keys; a file is deleted once all its entries are removed. A write
// resolves after it is on disk; concurrent writes share one fsync.
import { closeSync, fsyncSync, openSync, readSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../program/folders.ts';
import { errorText, type Logger } from '../../program/log.ts';
import { maxEmptySegmentBytes, maxQueueBytes, maxSegmentBytes } from '../limits.ts';
import { platform } from '../platform.ts';
import { lastKeyOf, noteRecord, readSegments, type Segment, segmentName } from './queue-recovery.ts';
import {
  encodeRecord,
  recordBytes,
  recordHeaderBytes,
  recordText,
  removedState,
  segmentHeader,
  segmentHeaderBytes,
  stateOffset,
} from './queue-segment.ts';

export interface QueueFileLimits {
  /** Size at which a file is closed for further events. */
  readonly segmentBytes: number;
  /** Maximum total size of all files. */
  readonly totalBytes: number;
}

export interface QueueFiles {
  /** Resolves when the text is on disk. Rejects if it cannot be written; then it will not appear. */
  append(text: string): Promise<void>;
  /** Resolves when the removal is on disk. */
  remove(key: number): Promise<void>;
  /** The oldest keys after a key, up to `limit`. */
  after(key: number, limit: number): number[];
  /** Undefined if the record was damaged after it was written. */
  read(key: number): string | undefined;
  size(): number;
  /** Total size of all files. */
  bytes(): number;
  close(): Promise<void>;
}

interface Waiting<T> {
  readonly what: T;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface Active {
  readonly segment: Segment;
  readonly file: FileHandle;
}

const ownLimits: QueueFileLimits = { segmentBytes: maxSegmentBytes, totalBytes: maxQueueBytes };

/** fsync on the directory, so that a new name survives a power failure. Not available on Windows. */
const syncFolder = (path: string): void => {
  if (!platform.syncsFolders) return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

const writeAll = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
};

const createSegment = async (folder: string, firstKey: number): Promise<Active> => {
  const path = join(folder, segmentName(firstKey));
  const file = await open(path, 'wx', 0o600);
  try {
    await writeAll(file, segmentHeader(firstKey), 0);
    await file.sync();
    syncFolder(folder);
  } catch (error) {
    await file.close();
    rmSync(path, { force: true });
    throw error;
  }
  return { file, segment: { path, firstKey, offsets: [], waiting: 0, bytes: segmentHeaderBytes } };
};

const readText = ({ path, bytes }: Segment, offset: number, key: number): string | undefined => {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(recordHeaderBytes);
    readSync(file, header, 0, header.length, offset);
    const length = recordBytes(header);
    if (offset + length > bytes) return undefined;
    const record = Buffer.alloc(length);
    readSync(file, record, 0, length, offset);
    return recordText(record, key);
  } finally {
    closeSync(file);
  }
};

const offsetOf = (segment: Segment | undefined, key: number): number =>
  segment?.offsets[key - segment.firstKey] ?? 0;

/** Overwrites one byte per removed event, so it needs no space and works on a full disk. */
const markRemoved = async (segment: Segment, keys: readonly number[]): Promise<void> => {
  const file = await open(segment.path, 'r+');
  try {
    for (const key of keys) {
      const offset = offsetOf(segment, key);
      if (offset > 0) await writeAll(file, Buffer.from([removedState]), offset + stateOffset);
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  for (const key of keys) {
    if (offsetOf(segment, key) === 0) continue;
    segment.offsets[key - segment.firstKey] = 0;
    segment.waiting -= 1;
  }
};

/** Takes as many from the front as fit into one file, at least one if there is any. */
const takeBatch = (appends: Waiting<string>[], segmentBytes: number): readonly Waiting<string>[] => {
  const batch: Waiting<string>[] = [];
  for (let size = 0; appends.length > 0 && size < segmentBytes; ) {
    const next = appends.shift() as Waiting<string>;
    size += next.what.length;
    batch.push(next);
  }
  return batch;
};

/** Tells everybody in a batch what became of its work. Never rejects. */
const settle = (batch: readonly Waiting<unknown>[], work: Promise<void>): Promise<void> =>
  work.then(
    () => {
      for (const { done } of batch) done();
    },
    (error) => {
      for (const { failed } of batch) failed(error);
    },
  );

/** Opens or creates the files in a directory. Throws if that fails. */
export const openQueueFiles = (folder: string, log: Logger, limits = ownLimits): QueueFiles => {
  makeFolder(folder);
  let segments = readSegments(folder, log);
  const newest = segments.at(-1);
  let lastKey = newest === undefined ? 0 : lastKeyOf(newest);
  let active: Active | undefined;
  const appends: Waiting<string>[] = [];
  let removals: Waiting<number>[] = [];
  let flushing: Promise<void> | undefined;

  const bytes = () => segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const segmentOf = (key: number) => segments.findLast(({ firstKey }) => firstKey <= key);

  const seal = async (): Promise<void> => {
    const sealed = active;
    active = undefined;
    await sealed?.file.close();
  };

  /** The file for this many more bytes. */
  const roomFor = async (more: number): Promise<Active> => {
    if (bytes() + more > limits.totalBytes)
      throw new Error(
        `the api queue is full: ${bytes()} bytes are waiting for a backend (at most ${limits.totalBytes})`,
      );
    if (active !== undefined && active.segment.bytes >= limits.segmentBytes) await seal();
    if (active === undefined) {
      active = await createSegment(folder, lastKey + 1);
      segments.push(active.segment);
    }
    return active;
  };

  /** Truncates a partial write; if that fails too, the file is closed for further events. */
  const takeBack = async ({ segment, file }: Active): Promise<void> => {
    try {
      await file.truncate(segment.bytes);
      await file.sync();
    } catch (error) {
      log.error({ path: segment.path, error: errorText(error) }, 'api queue write failed');
      await seal().catch(() => {});
    }
  };

  const writeTogether = async (batch: readonly Waiting<string>[]): Promise<void> => {
    const length = batch.reduce((sum, { what }) => sum + recordHeaderBytes + Buffer.byteLength(what), 0);
    const target = await roomFor(length);
    // Keys of failed writes are not reused.
    const records = batch.map(({ what }) => {
      lastKey += 1;
      return { key: lastKey, record: encodeRecord(lastKey, what) };
    });
    const { segment, file } = target;
    try {
      await writeAll(file, Buffer.concat(records.map(({ record }) => record)), segment.bytes);
      await file.datasync();
    } catch (error) {
      await takeBack(target);
      throw error;
    }
    for (const { key, record } of records) {
      noteRecord(segment, key, segment.bytes);
      segment.bytes += record.length;
    }
  };

  /** Records that fit into one file share a write; each is confirmed individually. */
  const flushAppends = async (): Promise<void> => {
    const batch = takeBatch(appends, limits.segmentBytes);
    if (batch.length === 0) return;
    await settle(batch, writeTogether(batch));
  };

  const dropIfEmpty = async (segment: Segment): Promise<void> => {
    if (segment.waiting > 0) return;
    if (active?.segment === segment) {
      if (segment.bytes < maxEmptySegmentBytes) return;
      await seal();
    }
    segments = segments.filter((other) => other !== segment);
    rmSync(segment.path, { force: true });
  };

  const removeFrom = async (segment: Segment, keys: readonly number[]): Promise<void> => {
    await markRemoved(segment, keys);
    await dropIfEmpty(segment);
  };

  const flushRemovals = async (): Promise<void> => {
    const batch = removals;
    removals = [];
    for (const segment of new Set(batch.map(({ what }) => segmentOf(what)))) {
      const those = batch.filter(({ what }) => segmentOf(what) === segment);
      const keys = those.map(({ what }) => what);
      const removed = segment === undefined ? Promise.resolve() : removeFrom(segment, keys);
      await settle(those, removed);
    }
  };

  const flush = async (): Promise<void> => {
    while (appends.length > 0 || removals.length > 0) {
      await flushAppends();
      await flushRemovals();
    }
    flushing = undefined;
  };
  const startFlush = () => {
    flushing ??= Promise.resolve().then(flush);
  };

  return {
    append: (text) =>
      new Promise((done, failed) => {
        appends.push({ what: text, done, failed });
        startFlush();
      }),
    remove: (key) =>
      new Promise((done, failed) => {
        removals.push({ what: key, done, failed });
        startFlush();
      }),
    after: (key, limit) => {
      const found: number[] = [];
      for (const segment of segments) {
        const last = lastKeyOf(segment);
        for (let next = Math.max(key + 1, segment.firstKey); next <= last; next += 1) {
          if (found.length >= limit) return found;
          if (offsetOf(segment, next) > 0) found.push(next);
        }
      }
      return found;
    },
    read: (key) => {
      const segment = segmentOf(key);
      const offset = offsetOf(segment, key);
      return segment === undefined || offset === 0 ? undefined : readText(segment, offset, key);
    },
    size: () => segments.reduce((sum, { waiting }) => sum + waiting, 0),
    bytes,
    close: async () => {
      await flushing;
      await seal();
    },
  };
};
