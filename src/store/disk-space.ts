// Keeps a little space free on the disk of the embedded store, so that a full disk is noticed before a write begins.
// It looks again by itself: as soon as there is space, writes go on, without a restart.
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

  /** The system refused a write for lack of space: from now on every commit looks first. */
  noteExhausted(): void {
    this.#exhausted = true;
    this.#checkedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Throws StoreError('full') when `bytes` more would not fit beside the reserve. */
  require(bytes: number): void {
    const now = performance.now();
    if (now - this.#checkedAtMs >= diskCheckIntervalMs) {
      this.#freeBytes = freeBytesOf(this.#dir);
      this.#checkedAtMs = now;
    }
    // After a refusal by the system itself, more room than the bare need is asked for before the next try.
    const reserve = this.#exhausted ? Math.max(this.#reserveBytes, nearlyFullBytes) : this.#reserveBytes;
    // Pages are written anew, never over old ones, and the tree above them with them: twice the bytes is on the safe side.
    if (reserve > 0 && this.#freeBytes < reserve + 2 * bytes) throw this.fullError();
    this.#freeBytes -= 2 * bytes;
    this.#exhausted = false;
  }

  isNearlyFull(): boolean {
    return freeBytesOf(this.#dir) < nearlyFullBytes;
  }

  fullError(cause?: unknown): StoreError {
    const message = `no space left in ${this.#dir}: nothing was written; free some space, writing resumes by itself`;
    return new StoreError('full', message, { cause });
  }
}

function freeBytesOf(dir: string): number {
  const { bavail, bsize, blocks } = statfsSync(dir);
  // Some virtual file systems tell nothing: then only a refused write tells.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
