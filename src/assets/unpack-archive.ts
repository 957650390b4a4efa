// Unpacks a tar or tar.gz archive into an empty, private directory. The library `tar` reads the archive; this file
// decides what is written where. Files and directories are written first and links last, so that no file is written
// through a link. A link cannot leave the directory: its target is relative and contains no `..`.
import {
  chmodSync,
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Parser, type ReadEntry } from 'tar';

export interface UnpackLimits {
  readonly maxEntries: number;
  /** Total size of all files. */
  readonly maxBytes: number;
}

class ArchiveError extends Error {
  override name = 'ArchiveError';
}

const chunkBytes = 65_536;
/** Assets are not accessible to other users of the machine. */
const ownerBits = 0o700;
/** No file system takes longer ones. */
const maxPathCharacters = 4_096;
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isTar = (bytes: Buffer): boolean => bytes.toString('latin1', 257, 262) === 'ustar';

/** The segments of a path in the archive; empty for the root. Backslashes separate segments on Windows. */
const partsOf = (path: string, what: string): string[] => {
  // Its directories would be made one by one, each at a cost that grows with the path.
  if (path.length > maxPathCharacters)
    throw new ArchiveError(`a path in the archive is longer than ${maxPathCharacters} characters`);
  const parts = path.split(process.platform === 'win32' ? /[/\\]/ : '/');
  const isAbsolute = path.startsWith('/') || /^[a-z]:/i.test(path);
  if (isAbsolute || parts.includes('..') || path.includes('\0'))
    throw new ArchiveError(`${what} points outside the archive`);
  return parts.filter((part) => part !== '' && part !== '.');
};

const kinds: Readonly<Record<string, 'file' | 'folder' | 'symlink' | 'link'>> = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'folder',
  GNUDumpDir: 'folder',
  SymbolicLink: 'symlink',
  Link: 'link',
};

class Writer {
  readonly #root: string;
  readonly #limits: UnpackLimits;
  readonly #folders = new Set<string>(['']);
  readonly #files = new Set<string>();
  readonly #links: { readonly kind: 'symlink' | 'link'; readonly path: string; readonly target: string }[] =
    [];
  #entries = 0;
  #bytes = 0;

  constructor(root: string, limits: UnpackLimits) {
    this.#root = root;
    this.#limits = limits;
  }

  /** Starts an entry; its data follows in chunks. */
  take(entry: ReadEntry): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.maxEntries)
      throw new ArchiveError(`the archive has more than ${this.#limits.maxEntries} entries`);
    const kind = kinds[entry.type];
    // Devices and other special files are skipped.
    if (kind === undefined) return void entry.resume();
    const path = partsOf(entry.path, `"${entry.path}"`).join('/');
    if (kind === 'file') return this.#write(entry, path);
    if (kind === 'folder') this.#folder(path);
    else this.#links.push({ kind, path, target: this.#targetOf(entry, kind) });
    entry.resume();
  }

  /** Creates the links after all files are written. */
  finish(): void {
    for (const { kind, path, target } of this.#links) {
      this.#folderOf(path);
      const place = join(this.#root, path);
      this.#once(path, () =>
        kind === 'symlink' ? symlinkSync(target, place) : linkSync(join(this.#root, target), place),
      );
      // A file below a link would be written through it.
      this.#files.add(path);
    }
  }

  #targetOf(entry: ReadEntry, kind: 'symlink' | 'link'): string {
    const target = entry.linkpath ?? '';
    const parts = partsOf(target, `the link "${entry.path}" to "${target}"`);
    if (kind === 'symlink') return target;
    const path = parts.join('/');
    if (!this.#files.has(path))
      throw new ArchiveError(`the link "${entry.path}" to "${target}": its target does not come before it`);
    return path;
  }

  #write(entry: ReadEntry, path: string): void {
    this.#bytes += entry.size;
    if (this.#bytes > this.#limits.maxBytes)
      throw new ArchiveError(`the archive is larger than ${this.#limits.maxBytes} bytes when unpacked`);
    this.#folderOf(path);
    const place = join(this.#root, path);
    const file = this.#once(path, () => openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    this.#files.add(path);
    const { mode = 0o644 } = entry;
    entry.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
    });
    entry.on('end', () => {
      closeSync(file);
      chmodSync(place, mode & ownerBits);
    });
  }

  #folderOf(path: string): void {
    this.#folder(path.split('/').slice(0, -1).join('/'));
  }

  #folder(path: string): void {
    if (this.#folders.has(path)) return;
    this.#folderOf(path);
    if (this.#files.has(path)) throw new ArchiveError(`"${path}" is both a file and a directory`);
    mkdirSync(join(this.#root, path), ownerBits);
    this.#folders.add(path);
  }

  #once<T>(path: string, make: () => T): T {
    try {
      return make();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new ArchiveError(`"${path}" occurs twice`);
    }
  }
}

/** Throws ArchiveError or a file system error; files written before stay. */
export const unpackArchive = async (bytes: Buffer, root: string, limits: UnpackLimits): Promise<void> => {
  if (bytes.length === 0) throw new ArchiveError('unable to read asset header: EOF');
  const invalid = 'given file does not appear valid: it is neither a tar nor a tar.gz archive';
  if (!isGzip(bytes) && !isTar(bytes)) throw new ArchiveError(invalid);
  const writer = new Writer(root, limits);
  let failure: unknown;
  const parser = new Parser({
    onReadEntry: (entry) => {
      try {
        if (failure === undefined) writer.take(entry);
        else entry.resume();
      } catch (error) {
        failure = error;
        entry.resume();
      }
    },
    onwarn: (code, message) => {
      if (code === 'TAR_ENTRY_INFO' || code === 'TAR_ENTRY_UNSUPPORTED') return;
      failure ??= new ArchiveError(
        code === 'TAR_BAD_ARCHIVE' && /Truncated/.test(String(message))
          ? 'the archive is truncated'
          : `the archive is corrupt: ${String(message)}`,
      );
    },
  });
  await new Promise<void>((resolve) => {
    parser.on('error', (error: unknown) => {
      failure ??= error;
      resolve();
    });
    parser.on('end', () => resolve());
    for (let at = 0; at < bytes.length && failure === undefined; at += chunkBytes)
      parser.write(bytes.subarray(at, at + chunkBytes));
    if (failure === undefined) parser.end();
    else resolve();
  });
  if (failure !== undefined) throw failure;
  writer.finish();
};
