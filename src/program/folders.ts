// Folders that a program keeps its files in.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, for the user of this program only; one that is there is left as it is. Throws the error of the system otherwise.
 * Node's own recursive mkdir never returns where a folder may not be made below one that exists, as in /proc.
 */
export const makeFolder = (path: string, mode = 0o700): void => {
  const parent = dirname(resolve(path));
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};
