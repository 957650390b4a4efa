// Where a running backend listens for the commands of its own machine: a socket in its state directory.
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

export const controlName = 'control.sock';

/** Addresses of sockets are short (`sun_path`); a directory with a longer path is reached through a descriptor of it. */
const maxPathBytes = 103;

/** Runs `use` with a path to the socket that the system takes. */
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
