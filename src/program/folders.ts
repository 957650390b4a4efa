// Creates the directories of a program.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its parents, accessible to the current user only; an existing directory is not changed.
 * Throws the system error. Node's recursive mkdir never returns if an existing parent refuses new directories, as
 * in /proc.
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
