// Exclusive ownership of a store directory, recorded in `owner.json`.
//
// A claim left by `kill -9` is harmless: the next process detects that the owner is gone (its pid is unused,
// belongs to a process started later, or the machine was rebooted) and takes over. Two processes cannot both do so,
// because the file is read and written under a lock of the caller that the kernel releases with its holder. The
// file is overwritten in place with a constant size, so a claim needs no space on a full disk.
import { closeSync, constants, existsSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { bootId, isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import { StoreError } from './snapshot-store.ts';

interface Owner extends ProcessIdentity {
  readonly since: string;
}

const fileBytes = 512;
const openHere = new Set<string>();

export interface Claim {
  release(): void;
}

/**
 * Claims `dir` for this process. `exclusively` runs its argument under a cross-process lock. Throws
 * StoreError('invalid') that names a living owner.
 */
export function claimDirectory(dir: string, exclusively: (claim: () => void) => void): Claim {
  const path = join(realpathSync(dir), 'owner.json');
  if (openHere.has(path)) throw new StoreError('invalid', `this backend already has ${dir} open`);
  exclusively(() => {
    const owner = readOwner(path);
    if (owner && isAlive(owner)) throw takenError(dir, owner);
    writeOwner(path, {
      ...ownIdentity(),
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

/** Whether the last process that claimed `dir` released it. If not, it crashed, or it is at work. */
export const wasReleased = (dir: string): boolean => readOwner(join(dir, 'owner.json')) === undefined;

const takenError = (dir: string, owner: Owner): StoreError =>
  new StoreError(
    'invalid',
    `another backend (pid ${owner.pid}) is using ${dir} since ${owner.since}; ` +
      'stop it, or give this one another --state-dir',
  );

function isAlive(owner: Owner): boolean {
  if (owner.bootId !== bootId()) return false;
  if (owner.pid === process.pid) return false;
  return isRunning(owner);
}

function readOwner(path: string): Owner | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
    return typeof value.pid === 'number' ? (value as Owner) : undefined;
  } catch {
    // A partially written claim has no owner: its writer crashed.
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
