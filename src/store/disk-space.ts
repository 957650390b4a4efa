// Reserves some space on the disk of the embedded store, so that a full disk is detected before a write starts.
// Checks again by itself: writes resume when there is space, without a restart.
import { statfsSync } from 'node:fs';
import { diskCheckIntervalMs, diskReserveBytes, nearlyFullBytes } from './limits.ts';
import { StoreError } from './snapshot-store.ts';

export class DiskSpace {
  readonly #dir: string;
  readonly #reserveBytes: number;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #freeBytes = Number.POSITIVE_INFINITY;
  #exhausted = false;

  constructor(dir: string, reserveBytes: number = diskReserveBytes) {
    this.#dir = dir;
    this.#reserveBytes = reserveBytes;
  }

  /** The system rejected a write for lack of space; from now on every commit checks first. */
  noteExhausted(): void {
    this.#exhausted = true;
    this.#checkedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Throws StoreError('full') if `bytes` more would not fit besides the reserve. */
  require(bytes: number): void {
    const now = performance.now();
    if (now - this.#checkedAtMs >= diskCheckIntervalMs) {
      this.#freeBytes = freeBytesOf(this.#dir);
      this.#checkedAtMs = now;
    }
    // After a rejection by the system, require more than the bare minimum before the next attempt.
    const reserve = this.#exhausted ? Math.max(this.#reserveBytes, nearlyFullBytes) : this.#reserveBytes;
    // LMDB writes pages and the tree above them to new locations; twice the bytes is a safe estimate.
    if (reserve > 0 && this.#freeBytes < reserve + 2 * bytes) throw this.fullError();
    this.#freeBytes -= 2 * bytes;
    this.#exhausted = false;
  }

  isNearlyFull(): boolean {
    return freeBytesOf(this.#dir) < nearlyFullBytes;
  }

  fullError(cause?: unknown): StoreError {
    const message = `no space left in ${this.#dir}: nothing was written; free some space, and writing resumes automatically`;
    return new StoreError('full', message, { cause });
  }
}

function freeBytesOf(dir: string): number {
  const { bavail, bsize, blocks } = statfsSync(dir);
  // Some virtual file systems report nothing; then only a failed write shows it.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
