// The clock of a program's time limit. On a busy machine 50 ms may pass while a thread gets 10 of them; an innocent
// filter must not be stopped, and its alert lost, for that. So past the limit on the wall clock the thread's own time
// on a processor counts, where the kernel tells it (Linux), up to a multiple of the limit.
import { readFileSync } from 'node:fs';
import { maxSampleAgeMs, maxStretch } from '../limits.ts';

const accountPath = '/proc/thread-self/schedstat';

/** Nanoseconds this thread has spent on a processor, as milliseconds; null where the kernel does not say. */
export const threadCpuMs = (): number | null => {
  try {
    return Number(readFileSync(accountPath, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    // Not Linux, or no such file in this container: the wall clock has to do.
    return null;
  }
};

interface Clocks {
  readonly wallMs: () => number;
  readonly cpuMs: () => number | null;
}

const realClocks: Clocks = { wallMs: () => performance.now(), cpuMs: threadCpuMs };

/** Starts a limit of so many milliseconds; what it returns says whether it is over, and is cheap to ask. */
export type StartTimeLimit = (timeMs: number) => () => boolean;

/**
 * Reading the kernel's account costs about 20 us, so a program starts from a sample that may be a little old: what
 * the programs just before it used counts against it, by at most `maxSampleAgeMs`.
 */
export const createTimeLimiter = (clocks: Clocks = realClocks): StartTimeLimit => {
  let sampledMs = Number.NEGATIVE_INFINITY;
  let sampleCpuMs: number | null = null;
  return (timeMs) => {
    const beganMs = clocks.wallMs();
    if (beganMs - sampledMs > maxSampleAgeMs) {
      sampledMs = beganMs;
      sampleCpuMs = clocks.cpuMs();
    }
    const beganCpuMs = sampleCpuMs;
    const latestMs = beganMs + timeMs * maxStretch;
    let dueMs = beganMs + timeMs;
    return () => {
      const wallMs = clocks.wallMs();
      if (wallMs <= dueMs) return false;
      if (beganCpuMs === null || wallMs > latestMs) return true;
      const usedMs = (clocks.cpuMs() ?? Number.POSITIVE_INFINITY) - beganCpuMs;
      if (usedMs >= timeMs) return true;
      dueMs = Math.min(wallMs + (timeMs - usedMs), latestMs);
      return false;
    };
  };
};
