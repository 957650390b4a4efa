// Packaged: where the parts of a program are that it loads while it runs. Usually they are files beside it; in an executable
// (Node's single executable applications, made by `npm run package`) they travel inside and are named by their file name.
import { basename, join } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

export const isPackaged: boolean = isSea();

/** What starts a thread with the module at this address. */
export const workerModule = (file: URL): URL => {
  if (!isPackaged) return file;
  const source = Buffer.from(getAsset(basename(file.pathname)));
  return new URL(`data:text/javascript;base64,${source.toString('base64')}`);
};

/** What `fork` starts the module at this address with: an executable is told by this word what else it can be. */
export const forkModule = (file: URL): string => (isPackaged ? basename(file.pathname) : fileURLToPath(file));

/** The version an executable was built as; undefined when it is not one. */
export const packagedVersion = (): string | undefined =>
  isPackaged ? getAsset('version', 'utf8') : undefined;

/** The files of a folder that travel inside, by their path below it; undefined when this is no executable. */
export const packagedFolder = (name: string): ReadonlyMap<string, Buffer> | undefined => {
  if (!isPackaged) return undefined;
  const paths: string[] = JSON.parse(getAsset(`${name}.json`, 'utf8'));
  return new Map(paths.map((path) => [path, Buffer.from(getRawAsset(join(name, path)) as ArrayBuffer)]));
};
