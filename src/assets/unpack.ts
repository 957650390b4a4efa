// Unpack: has an archive unpacked in a thread of its own, within a time limit.
import { Worker } from 'node:worker_threads';
import { workerModule } from '../program/packaged.ts';
import { maxUnpackHeapMb, unpackTimeMs } from './limits.ts';
import type { UnpackOrder, UnpackReport } from './unpack-worker.ts';

/** The bytes as memory that can be handed to a thread: the very same memory unless it is shared with other buffers. */
const ownMemory = (bytes: Buffer): ArrayBuffer =>
  bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer && bytes.length > 65_536
    ? bytes.buffer
    : new Uint8Array(bytes).buffer;

/** Unpacks into an empty folder. The bytes may be gone afterwards. Rejects with the reason; the folder is the caller's to remove. */
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
    // Only once the thread is gone does nobody write to the folder any more.
    worker.on('exit', () => {
      clearTimeout(late);
      if (answer === null) resolve();
      else reject(new Error(answer ?? 'the thread that unpacks ended without an answer'));
    });
  });
