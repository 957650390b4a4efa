// The thread an archive is unpacked in: thousands of files take seconds to write, and the main thread has agents to answer.
import { parentPort, workerData } from 'node:worker_threads';
import { maxArchiveEntries, maxUnpackedBytes } from './limits.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface UnpackOrder {
  readonly archive: ArrayBuffer;
  readonly folder: string;
}

/** Null: everything is there. Otherwise why not. */
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
