// How long a process was on a core, read from the kernel (/proc, Linux only): a figure that neighbours on a shared machine
// hardly move, while they halve a throughput.
import { readFileSync } from 'node:fs';

export interface CpuTimeUs {
  /** All threads: collector, store, compiler included. */
  readonly process: number;
  /** The thread that runs JavaScript. */
  readonly main: number;
}

/** The kernel counts in hundredths of a second. */
const tickUs = 10_000;

const onCoreUs = (file: string): number => {
  // The name in brackets may hold spaces; after it, fields 12 and 13 are user and system time.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
};

/** NaN where there is no /proc. */
export const cpuTimeUs = (pid: number): CpuTimeUs => {
  try {
    return { process: onCoreUs(`/proc/${pid}/stat`), main: onCoreUs(`/proc/${pid}/task/${pid}/stat`) };
  } catch {
    return { process: Number.NaN, main: Number.NaN };
  }
};
