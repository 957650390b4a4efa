// Who may write to a store directory: one process at a time, written down in `owner.json` for people to read.
//
// A claim outlives `kill -9` without harm: the next process sees that the owner is gone (its pid is free, or belongs to a
// process started at another time, or the machine was booted since) and takes over. Two processes can't both do so,
// because the file is read and written under a lock the caller brings, one the kernel releases with its holder.
// The file is overwritten in place and keeps its size, so that a claim needs no space on a full disk.
import { closeSync, constants, existsSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './snapshot-store.ts';

interface Owner {
  readonly pid: number;
  /** Start of the process in kernel ticks since boot; tells a process from a later one with the same pid. */
  readonly startTicks: string;
  readonly bootId: string;
  readonly since: string;
}

const fileBytes = 512;
const openHere = new Set<string>();

export interface Claim {
  release(): void;
}

/**
 * Claims `dir` for this process. `exclusively` runs its argument while no other process can be inside one.
 * Throws StoreError('invalid') naming the owner when there is a living one.
 */
export function claimDirectory(dir: string, exclusively: (claim: () => void) => void): Claim {
  const path = join(realpathSync(dir), 'owner.json');
  if (openHere.has(path)) throw new StoreError('invalid', `this backend already has ${dir} open`);
  exclusively(() => {
    const owner = readOwner(path);
    if (owner && isAlive(owner)) throw takenError(dir, owner);
    writeOwner(path, {
      pid: process.pid,
      startTicks: startTicksOf(process.pid),
      bootId: bootId(),
      since: new Date().toISOString(),
    });
  });
  openHere.add(path);
  return {
    release: () => {
      if (openHere.delete(path)) writeOwner(path, undefined);
    },
  };
}

const endedStates: readonly string[] = ['Z', 'X', 'x'];

const takenError = (dir: string, owner: Owner): StoreError =>
  new StoreError(
    'invalid',
    `another backend (pid ${owner.pid}) is using ${dir} since ${owner.since}; ` +
      'stop it, or give this one another --state-dir',
  );

function isAlive(owner: Owner): boolean {
  if (owner.bootId !== bootId()) return false;
  if (owner.pid === process.pid) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startTicksOf(owner.pid) === owner.startTicks;
}

function readOwner(path: string): Owner | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
    return typeof value.pid === 'number' ? (value as Owner) : undefined;
  } catch {
    // A claim torn by a crash names nobody: its writer died while writing it.
    return undefined;
  }
}

function writeOwner(path: string, owner: Owner | undefined): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    writeSync(file, `${JSON.stringify(owner ?? {}).padEnd(fileBytes - 1)}\n`, 0);
  } finally {
    closeSync(file);
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

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
