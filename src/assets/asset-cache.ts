// Asset cache: the unpacked assets on disk, one directory per asset, named by checksum. Assets in use are held.
// Unused assets can be purged after a while, so that a machine does not keep old versions forever. The directory's
// modification time records the last use and survives restarts.
import { existsSync, renameSync, statSync, utimesSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../program/folders.ts';
import { errorText, type Logger } from '../program/log.ts';

export interface AssetCache {
  has(sha512: string): boolean;
  pathOf(sha512: string): string;
  /** Marks an asset as in use until the returned function is called; it is not purged meanwhile. */
  hold(sha512: string): () => void;
  /** A new directory to unpack into, on the same disk. */
  aside(): Promise<string>;
  /** Moves the unpacked directory to its final place, atomically. */
  settle(aside: string, sha512: string): string;
  /** Removes assets that are not held and were not used for `unusedMs`; returns how many. Logs failures. */
  purge(unusedMs: number): Promise<number>;
}

export const isSha512 = (text: string): boolean => /^[0-9a-f]{128}$/.test(text);

/** Name prefix of directories that are being unpacked or removed. */
const asideName = 'unpacking-';

export const openAssetCache = (cacheDir: string, log: Logger): AssetCache => {
  const holders = new Map<string, number>();
  const pathOf = (sha512: string) => join(cacheDir, sha512);

  const discard = async (path: string): Promise<boolean> => {
    try {
      await rm(path, { recursive: true, force: true });
      return true;
    } catch (error) {
      log.warn({ path, error: errorText(error) }, 'unable to clean up the asset cache');
      return false;
    }
  };
  const names = async (): Promise<readonly string[]> => (existsSync(cacheDir) ? await readdir(cacheDir) : []);

  // Leftovers of a program that was killed while unpacking.
  const tidied = names().then(
    (all) =>
      Promise.all(all.filter((name) => name.startsWith(asideName)).map((name) => discard(pathOf(name)))),
    (error) => log.warn({ path: cacheDir, error: errorText(error) }, 'unable to clean up the asset cache'),
  );
  const aside = async (): Promise<string> => {
    await tidied;
    makeFolder(cacheDir);
    return mkdtemp(join(cacheDir, asideName));
  };

  const touch = (sha512: string): void => {
    const now = new Date();
    // Missing, or not writable: the asset then looks older than it is, and at worst is downloaded again.
    if (existsSync(pathOf(sha512)))
      try {
        utimesSync(pathOf(sha512), now, now);
      } catch (error) {
        log.debug({ path: pathOf(sha512), error: errorText(error) }, 'unable to record the use of an asset');
      }
  };

  const isStale = (sha512: string, unusedMs: number): boolean =>
    !holders.has(sha512) && Date.now() - statSync(pathOf(sha512)).mtimeMs > unusedMs;

  const remove = async (sha512: string, unusedMs: number): Promise<boolean> => {
    const grave = await aside();
    try {
      // No await between this check and the rename, so nothing can take the asset in between.
      if (!isStale(sha512, unusedMs)) return false;
      renameSync(pathOf(sha512), join(grave, sha512));
      log.info({ path: pathOf(sha512) }, 'unused asset removed');
      return true;
    } catch (error) {
      log.warn({ path: pathOf(sha512), error: errorText(error) }, 'unable to remove an unused asset');
      return false;
    } finally {
      await discard(grave);
    }
  };

  return {
    has: (sha512) => existsSync(pathOf(sha512)),
    pathOf,
    hold: (sha512) => {
      holders.set(sha512, (holders.get(sha512) ?? 0) + 1);
      touch(sha512);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        touch(sha512);
        const left = (holders.get(sha512) ?? 1) - 1;
        if (left > 0) holders.set(sha512, left);
        else holders.delete(sha512);
      };
    },
    aside,
    settle: (from, sha512) => {
      renameSync(from, pathOf(sha512));
      touch(sha512);
      return pathOf(sha512);
    },
    purge: async (unusedMs) => {
      let removed = 0;
      for (const name of await names()) {
        if (isSha512(name) && isStale(name, unusedMs) && (await remove(name, unusedMs))) removed += 1;
      }
      return removed;
    },
  };
};
