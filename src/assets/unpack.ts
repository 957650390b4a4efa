// Unpacks an archive in a separate thread, within a time limit.
import { Worker } from 'node:worker_threads';
import { workerModule } from '../program/packaged.ts';
import { maxUnpackHeapMb, unpackTimeMs } from './limits.ts';
import type { UnpackOrder, UnpackReport } from './unpack-worker.ts';

/** The bytes in memory that can be transferred to a thread; copied only if the memory is shared with other buffers. */
const ownMemory = (bytes: Buffer): ArrayBuffer =>
  bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer && bytes.length > 65_536
    ? bytes.buffer
    : new Uint8Array(bytes).buffer;

/**
 * Unpacks into an empty directory. The buffer may be detached afterwards. Rejects with the reason; the caller
 * removes the directory.
 */
export const unpackInThread = (bytes: Buffer, folder: string, timeMs = unpackTimeMs): Promise<void> =>
  new Promise((resolve, reject) => {
    const archive = ownMemory(bytes);
    const order: UnpackOrder = { archive, folder };
    const worker = new Worker(workerModule(new URL('./unpack-worker.js', import.meta.url)), {
      workerData: order,
      transferList: [archive],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxUnpackHeapMb },
    });
    let answer: UnpackReport | undefined;
    const late = setTimeout(() => {
      answer ??= `not unpacked after ${timeMs / 1000} s`;
      void worker.terminate();
    }, timeMs);
    worker.on('message', (report: UnpackReport) => {
      answer ??= report;
    });
    worker.on('error', (error) => {
      answer ??= error.message;
    });
    // Only after the thread exited can it no longer write to the directory.
    worker.on('exit', () => {
      clearTimeout(late);
      if (answer === null) resolve();
      else reject(new Error(answer ?? 'the unpacking thread exited without a result'));
    });
  });
