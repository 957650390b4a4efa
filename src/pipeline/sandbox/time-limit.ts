// The clock for a program's time limit. On a busy machine a thread may get 10 ms of CPU time in 50 ms, and a
// correct filter must not be stopped and its alert lost because of that. After the wall-clock limit, the thread's
// CPU time counts where the kernel provides it (Linux), up to a multiple of the limit.
import { readFileSync } from 'node:fs';
import { maxSampleAgeMs, maxStretch } from '../limits.ts';

const accountPath = '/proc/thread-self/schedstat';

/** CPU time of this thread in milliseconds; null if the kernel does not provide it. */
export const threadCpuMs = (): number | null => {
  try {
    return Number(readFileSync(accountPath, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    // Not Linux, or the file is missing in this container: use the wall clock.
    return null;
  }
};

interface Clocks {
  readonly wallMs: () => number;
  readonly cpuMs: () => number | null;
}

const realClocks: Clocks = { wallMs: () => performance.now(), cpuMs: threadCpuMs };

/** Starts a limit of `timeMs`. Returns a cheap function that tells whether the limit is exceeded. */
export type StartTimeLimit = (timeMs: number) => () => boolean;

/**
 * Reading the CPU time from the kernel takes about 20 us, so a program may start from an older sample. CPU time of
 * preceding programs then counts against it, at most `maxSampleAgeMs`.
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
