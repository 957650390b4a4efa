// Whether a process still runs, for tests that end one. A killed process that its parent has not collected yet keeps its
// number, and a signal 0 finds it: on Linux its state says better.
import { readFileSync } from 'node:fs';

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return (
      process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    );
  } catch {
    return false;
  }
};
