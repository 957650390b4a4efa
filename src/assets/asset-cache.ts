// Asset cache: the unpacked assets on disk, a folder each, named by their checksum. Whoever uses one holds it; what nobody has
// used for a while can be purged, so that a machine does not keep every version it ever ran. The time stamp of the folder
// tells when it was last used, and outlives the program.
import { existsSync, renameSync, statSync, utimesSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../program/folders.ts';
import { errorText, type Logger } from '../program/log.ts';

export interface AssetCache {
  has(sha512: string): boolean;
  pathOf(sha512: string): string;
  /** Notes that an asset is in use until the answer is called; until then it is not purged. */
  hold(sha512: string): () => void;
  /** A fresh folder to unpack into, on the same disk. */
  aside(): Promise<string>;
  /** Puts what was unpacked aside in its place: there whole, or not at all. */
  settle(aside: string, sha512: string): string;
  /** Removes what nobody holds and nobody has used for so long; the answer is how many. Tells failures in the log. */
  purge(unusedMs: number): Promise<number>;
}

export const isSha512 = (text: string): boolean => /^[0-9a-f]{128}$/.test(text);

/** Folders of this name are being unpacked, or on their way out. */
const asideName = 'unpacking-';

export const openAssetCache = (cacheDir: string, log: Logger): AssetCache => {
  const holders = new Map<string, number>();
  const pathOf = (sha512: string) => join(cacheDir, sha512);

  const discard = async (path: string): Promise<boolean> => {
    try {
      await rm(path, { recursive: true, force: true });
      return true;
    } catch (error) {
      log.warn({ path, error: errorText(error) }, 'unable to tidy the asset cache');
      return false;
    }
  };
  const names = async (): Promise<readonly string[]> => (existsSync(cacheDir) ? await readdir(cacheDir) : []);

  // What a program that was killed while unpacking left behind.
  const tidied = names().then(
    (all) =>
      Promise.all(all.filter((name) => name.startsWith(asideName)).map((name) => discard(pathOf(name)))),
    (error) => log.warn({ path: cacheDir, error: errorText(error) }, 'unable to tidy the asset cache'),
  );
  const aside = async (): Promise<string> => {
    await tidied;
    makeFolder(cacheDir);
    return mkdtemp(join(cacheDir, asideName));
  };

  const touch = (sha512: string): void => {
    const now = new Date();
    // Not there yet, or not ours to touch: then it looks older than it is, and at worst is fetched again.
    if (existsSync(pathOf(sha512)))
      try {
        utimesSync(pathOf(sha512), now, now);
      } catch (error) {
        log.debug({ path: pathOf(sha512), error: errorText(error) }, 'unable to note the use of an asset');
      }
  };

  const isStale = (sha512: string, unusedMs: number): boolean =>
    !holders.has(sha512) && Date.now() - statSync(pathOf(sha512)).mtimeMs > unusedMs;

  const remove = async (sha512: string, unusedMs: number): Promise<boolean> => {
    const grave = await aside();
    try {
      // From the last look to the rename nothing else can happen in between.
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
