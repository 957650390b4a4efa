// File system access for the loader.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Sources } from './load.ts';

/** Stops at directories that link back to themselves. */
const maxDepth = 16;

const jsonFiles = (directory: string, depth: number): string[] =>
  readdirSync(directory)
    .sort()
    .flatMap((name): string[] => {
      const path = join(directory, name);
      // A dangling link is skipped, so that the other files are still read.
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) return depth < maxDepth ? jsonFiles(path, depth + 1) : [];
      return stat?.isFile() === true && name.endsWith('.json') ? [path] : [];
    });

export const realFiles: Sources['files'] = {
  exists: existsSync,
  read: (path) => readFileSync(path, 'utf8'),
  jsonBelow: (directory) => jsonFiles(directory, 0),
};

/** The first non-loopback address of this machine. */
export const firstAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
