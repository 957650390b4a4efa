// Locates the files that a program loads at run time. Usually they are next to it; in a single executable (built by
// `npm run package`) they are embedded and addressed by file name.
import { basename, join } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

const isPackaged: boolean = isSea();

/** The entry point to start the module at this URL in a worker thread. */
export const workerModule = (file: URL): URL => {
  if (!isPackaged) return file;
  const source = Buffer.from(getAsset(basename(file.pathname)));
  return new URL(`data:text/javascript;base64,${source.toString('base64')}`);
};

/** Arguments for `fork` to run the module at this URL: an executable selects the module by this argument. */
export const forkModule = (file: URL): string => (isPackaged ? basename(file.pathname) : fileURLToPath(file));

/** The version of an executable; undefined if this is not one. */
export const packagedVersion = (): string | undefined =>
  isPackaged ? getAsset('version', 'utf8') : undefined;

/** The embedded files of a folder by relative path; undefined if this is not an executable. */
export const packagedFolder = (name: string): ReadonlyMap<string, Buffer> | undefined => {
  if (!isPackaged) return undefined;
  const paths: string[] = JSON.parse(getAsset(`${name}.json`, 'utf8'));
  return new Map(paths.map((path) => [path, Buffer.from(getRawAsset(join(name, path)) as ArrayBuffer)]));
};
