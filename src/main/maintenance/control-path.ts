// The path of the control socket in the state directory, where a running backend accepts local commands.
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

export const controlName = 'control.sock';

/** Socket paths are limited in length (`sun_path`); longer directories are addressed through a file descriptor. */
const maxPathBytes = 103;

/** Calls `use` with a socket path that is short enough. */
export const withControlPath = async <T>(stateDir: string, use: (path: string) => Promise<T>): Promise<T> => {
  const path = join(stateDir, controlName);
  if (Buffer.byteLength(path) <= maxPathBytes || process.platform !== 'linux') return use(path);
  const folder = openSync(stateDir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await use(`/proc/self/fd/${folder}/${controlName}`);
  } finally {
    closeSync(folder);
  }
};
