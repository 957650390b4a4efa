// Which process wrote a claim, and whether that process still runs. A pid alone is not enough: pids are used again, also by
// other machines and containers. So the boot, the pid namespace and the start of the process belong to it.
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start of the process in kernel ticks since boot; tells a process from a later one with the same pid. */
  readonly startTicks: string;
  readonly bootId: string;
}

const endedStates: readonly string[] = ['Z', 'X', 'x'];

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startTicks: startTicksOf(process.pid),
  bootId: bootId(),
});

/** Whether a process of this machine, which was not booted since, still runs. */
export function isRunning({ pid, startTicks }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startTicksOf(pid) === startTicks;
}

/** Names the kernel and the pid namespace: two processes with the same one see each other's pids. Empty where there is no /proc. */
export function pidScope(): string {
  try {
    return `${bootId()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

/**
 * Empty where there is no /proc; a pid alone then decides. A process that has ended and was only not collected by its
 * parent yet (a zombie) has no start any more: it holds nothing.
 */
function startTicksOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces; fields 3 (state) and 22 (start) are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return endedStates.includes(fields[0] ?? '') ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
