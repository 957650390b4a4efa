// Checks the folders and files of a program: existing, writable, private, and with free disk space.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { shownBytes } from '../maintenance/progress.ts';
import { type Finding, fail, ok, type Probe, warn } from './finding.ts';

const othersBits = 0o077;
/** Minimum free space before a warning. */
const failBytes = 64 * 1024 * 1024;
const warnBytes = 1024 * 1024 * 1024;
const warnShare = 0.05;

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(resolve(path))));

const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

const userName = (): string => `this user (uid ${process.getuid?.() ?? 'unknown'})`;

const folder = (flag: string, path: string): Finding => {
  if (!existsSync(path)) {
    const parent = nearest(path);
    return isAllowed(parent, constants.W_OK | constants.X_OK)
      ? ok('folder', `${path} is not there yet, and can be made`)
      : fail(
          'folder',
          `${path} is not there, and ${userName()} can't make it in ${parent}`,
          `make it and give it to the user of the program, or choose another with ${flag}`,
        );
  }
  const stat = statSync(path);
  if (!stat.isDirectory()) return fail('folder', `${path} is no folder`, `correct ${flag}`);
  if (!isAllowed(path, constants.R_OK | constants.W_OK | constants.X_OK))
    return fail(
      'folder',
      `${path} can't be read and written by ${userName()}; it belongs to uid ${stat.uid}`,
      'run this as the user of the program, or give the folder to that user (chown -R)',
    );
  if (process.platform !== 'win32' && (stat.mode & othersBits) !== 0)
    return warn(
      'folder',
      `${path} is open to other users (${(stat.mode & 0o777).toString(8)})`,
      `chmod 700 ${path}`,
    );
  return ok('folder', `${path} can be written, and by its user only`);
};

const disk = (path: string): Finding => {
  const at = nearest(path);
  const { bavail, bsize, blocks, ffree, files } = statfsSync(at);
  if (blocks === 0) return ok('disk', `${at}: its file system does not say how much is free`);
  const free = bavail * bsize;
  const share = Math.round((bavail / blocks) * 100);
  const text = `${shownBytes(free)} (${share} %) are free where ${path} is`;
  if (free < failBytes) return fail('disk', text, 'free some space: writes are refused when it is full');
  if (files > 0 && ffree === 0) return fail('disk', `no inode is free where ${path} is`, 'remove files');
  if (free < warnBytes || bavail / blocks < warnShare) return warn('disk', text, 'free some space soon');
  return ok('disk', text);
};

export const folderProbe = (flag: string, path: string): Probe => ({
  area: 'folder',
  ask: () => [folder(flag, path), disk(path)],
});

/** Checks a file with a secret: readable, and only by its user. */
export const privateFile = (area: string, path: string): Finding => {
  if (!isAllowed(path, constants.R_OK))
    return fail(
      area,
      `${path} can't be read by ${userName()}`,
      'run this as the user of the program, or give it the file',
    );
  if (process.platform !== 'win32' && (statSync(path).mode & othersBits) !== 0)
    return warn(area, `${path} is open to other users of this machine`, `chmod 600 ${path}`);
  return ok(area, `${path} can be read, and by its user only`);
};
