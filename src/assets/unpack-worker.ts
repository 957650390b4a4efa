// The worker thread that unpacks an archive: writing thousands of files takes seconds, and the main thread must
// stay responsive.
import { parentPort, workerData } from 'node:worker_threads';
import { maxArchiveEntries, maxUnpackedBytes } from './limits.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface UnpackOrder {
  readonly archive: ArrayBuffer;
  readonly folder: string;
}

/** Null on success, otherwise the reason. */
export type UnpackReport = string | null;

const report = (answer: UnpackReport): void => parentPort?.postMessage(answer);

const { archive, folder } = workerData as UnpackOrder;
try {
  await unpackArchive(Buffer.from(archive), folder, {
    maxEntries: maxArchiveEntries,
    maxBytes: maxUnpackedBytes,
  });
  report(null);
} catch (error) {
  report(error instanceof Error ? error.message : String(error));
}
