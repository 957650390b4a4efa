// Private files: what a program keeps on disk is for its own user only. Folders and files that an earlier version, or somebody,
// left open to others are closed at start, and the log says so. A folder that also holds files of others is left as it is.
import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, type Logger } from './log.ts';

const othersBits = 0o077;
const maxPathsLogged = 5;

/** Closes one file, or a folder with all below it; a folder that is closed already is not walked. Adds what was changed. */
const close = (path: string, closed: string[]): void => {
  const entry = lstatSync(path);
  if (!entry.isDirectory() && !entry.isFile()) return;
  if ((entry.mode & othersBits) === 0) return;
  // The folder first: then nobody reaches what is below it.
  chmodSync(path, entry.mode & 0o777 & ~othersBits);
  closed.push(path);
  if (entry.isDirectory()) for (const name of readdirSync(path)) close(join(path, name), closed);
};

/**
 * Closes a folder, and what is ours in it, to other users of the machine. `isOurs` knows the names we keep there. What
 * can't be closed is logged, not thrown: the folder may belong to somebody else on purpose.
 */
export const keepPrivate = (folder: string, isOurs: (name: string) => boolean, log: Logger): void => {
  if (process.platform === 'win32' || !existsSync(folder)) return;
  const closed: string[] = [];
  const attempt = (path: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log.warn({ path, error: errorText(error) }, 'unable to close a file to other users of this machine');
    }
  };
  attempt(folder, () => {
    const names = readdirSync(folder);
    for (const name of names.filter(isOurs))
      attempt(join(folder, name), () => close(join(folder, name), closed));
    const { mode } = lstatSync(folder);
    if ((mode & othersBits) === 0) return;
    const others = names.filter((name) => !isOurs(name));
    if (others.length > 0)
      log.warn(
        { path: folder, others: others.slice(0, maxPathsLogged) },
        'this folder is open to other users of this machine and stays so, because it also holds files that are not ours: use a folder of its own',
      );
    else {
      chmodSync(folder, mode & 0o777 & ~othersBits);
      closed.push(folder);
    }
  });
  if (closed.length > 0)
    log.warn(
      { path: folder, closed: closed.length, first: closed.slice(0, maxPathsLogged) },
      'files were open to other users of this machine; now only the user of this program reads them',
    );
};
