// Restricts the files of a program to its own user. At start, files and directories with access for other users are
// restricted and logged. A directory that also contains foreign files is left as it is.
import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, type Logger } from './log.ts';

const othersBits = 0o077;
const maxPathsLogged = 5;

/**
 * Restricts one file, or a directory with its contents. A directory that is already restricted is not walked.
 * Appends what was changed.
 */
const close = (path: string, closed: string[]): void => {
  const entry = lstatSync(path);
  if (!entry.isDirectory() && !entry.isFile()) return;
  if ((entry.mode & othersBits) === 0) return;
  // The directory first, so that its contents are no longer reachable.
  chmodSync(path, entry.mode & 0o777 & ~othersBits);
  closed.push(path);
  if (entry.isDirectory()) for (const name of readdirSync(path)) close(join(path, name), closed);
};

/**
 * Removes other users' access to a directory and our files in it. `isOurs` matches the names we create there.
 * Failures are logged, not thrown: the directory may intentionally belong to another user.
 */
export const keepPrivate = (folder: string, isOurs: (name: string) => boolean, log: Logger): void => {
  if (process.platform === 'win32' || !existsSync(folder)) return;
  const closed: string[] = [];
  const attempt = (path: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log.warn({ path, error: errorText(error) }, 'unable to remove access for other users of this machine');
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
        'this directory stays accessible to other users of this machine, because it also contains files that are not ours: use a separate directory',
      );
    else {
      chmodSync(folder, mode & 0o777 & ~othersBits);
      closed.push(folder);
    }
  });
  if (closed.length > 0)
    log.warn(
      { path: folder, closed: closed.length, first: closed.slice(0, maxPathsLogged) },
      'files were accessible to other users of this machine; now only the user of this program can access them',
    );
};
