// Identifies a process, to check whether the writer of a claim is still running. Pids are reused, also across
// machines and containers, so the boot id, the pid namespace and the start time are part of the identity.
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in kernel ticks since boot; distinguishes processes with the same pid. */
  readonly startTicks: string;
  readonly bootId: string;
}

const endedStates: readonly string[] = ['Z', 'X', 'x'];

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startTicks: startTicksOf(process.pid),
  bootId: bootId(),
});

/** Whether a process of this machine and boot is still running. */
export function isRunning({ pid, startTicks }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startTicksOf(pid) === startTicks;
}

/**
 * Identifies the kernel and the pid namespace: processes with the same scope see each other's pids. Empty without
 * /proc.
 */
export function pidScope(): string {
  try {
    return `${bootId()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

/** Empty without /proc; then the pid alone decides. A zombie has ended and holds nothing, so it has no start time. */
function startTicksOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces; fields 3 (state) and 22 (start) are counted from its end.
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
