// Tar: takes an archive apart, in memory, and writes it below one folder; nothing of it may land outside.
import { chmodSync, linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

export interface TarEntry {
  readonly type: 'file' | 'folder' | 'symlink' | 'link';
  readonly path: string;
  readonly target: string;
  readonly mode: number;
  readonly data: Buffer;
}

const blockBytes = 512;

export class TarError extends Error {
  override name = 'TarError';
}

const text = (block: Buffer, from: number, length: number): string => {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
};

const number = (block: Buffer, from: number, length: number): number => {
  const value = Number.parseInt(text(block, from, length).trim() || '0', 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new TarError('a header of the archive is damaged');
  return value;
};

/** Extended headers: `length key=value\n` records. */
const paxRecords = (data: Buffer): Map<string, string> =>
  new Map(
    data
      .toString('utf8')
      .split('\n')
      .flatMap((record): [string, string][] => {
        const match = /^\d+ ([^=]+)=(.*)$/.exec(record);
        return match === null ? [] : [[match[1] ?? '', match[2] ?? '']];
      }),
  );

const types: Readonly<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'folder',
};

const headerPath = (block: Buffer): string => {
  const prefix = text(block, 257, 5) === 'ustar' ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
};

/** The entries of an archive, in order. Devices and the like are left out. */
export const readTar = (archive: Buffer): TarEntry[] => {
  const entries: TarEntry[] = [];
  let longer = new Map<string, string>();
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const block = archive.subarray(at, at + blockBytes);
    if (block.every((byte) => byte === 0)) break;
    const size = number(block, 124, 12);
    const data = archive.subarray(at + blockBytes, at + blockBytes + size);
    if (data.length < size) throw new TarError('the archive ends too early');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const flag = text(block, 156, 1);
    if (flag === 'x') longer = new Map([...longer, ...paxRecords(data)]);
    else if (flag === 'L') longer.set('path', text(data, 0, data.length));
    else if (flag === 'K') longer.set('linkpath', text(data, 0, data.length));
    else {
      const type = types[flag];
      const path = longer.get('path') ?? headerPath(block);
      const target = longer.get('linkpath') ?? text(block, 157, 100);
      longer = new Map();
      if (type !== undefined) entries.push({ type, path, target, mode: number(block, 100, 8), data });
    }
  }
  return entries;
};

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way));
};

const placeOf = (root: string, path: string): string => {
  const place = resolve(root, path);
  if (isAbsolute(path) || !isInside(root, place)) throw new TarError(`"${path}" leads out of the archive`);
  // `./` is the folder itself.
  if (place === root) return place;
  mkdirSync(dirname(place), { recursive: true });
  // A folder of the archive may be a link: what is written through it must stay inside too.
  if (!isInside(realpathSync(root), realpathSync(dirname(place))))
    throw new TarError(`"${path}" leads out of the archive`);
  return place;
};

const write = (root: string, entry: TarEntry): void => {
  const place = placeOf(root, entry.path);
  if (entry.type === 'folder') mkdirSync(place, { recursive: true });
  else if (entry.type === 'file') {
    writeFileSync(place, entry.data, { flag: 'wx' });
    chmodSync(place, entry.mode & 0o755);
  } else if (entry.type === 'link') linkSync(placeOf(root, entry.target), place);
  else {
    const target = resolve(dirname(place), entry.target);
    if (isAbsolute(entry.target) || !isInside(root, target))
      throw new TarError(`the link "${entry.path}" leads out of the archive`);
    symlinkSync(entry.target, place);
  }
};

/** Writes every entry below the folder, which must exist. Throws TarError, or what the file system says. */
export const unpackTar = (archive: Buffer, folder: string): void => {
  const root = resolve(folder);
  for (const entry of readTar(archive)) write(root, entry);
};
