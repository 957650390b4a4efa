// Unpack archive: writes a tar or tar.gz archive below a folder that is empty and belongs to nobody else. The library `tar`
// reads the archive; what is written where is decided here. Files and folders are written first and links last, so no
// file is ever written through a link. A link never leaves the folder: its target is relative and holds no `..`.
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
  /** Of all files together. */
  readonly maxBytes: number;
}

export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

const chunkBytes = 65_536;
/** Nothing of an asset is for other users of the machine. */
const ownerBits = 0o700;
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isTar = (bytes: Buffer): boolean => bytes.toString('latin1', 257, 262) === 'ustar';

/** The parts of a path inside the archive; none for the root. Backslashes part paths on Windows. */
const partsOf = (path: string, what: string): string[] => {
  const parts = path.split(process.platform === 'win32' ? /[/\\]/ : '/');
  const isAbsolute = path.startsWith('/') || /^[a-z]:/i.test(path);
  if (isAbsolute || parts.includes('..') || path.includes('\0'))
    throw new ArchiveError(`${what} leads out of the archive`);
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

  /** Takes one entry; its data comes later, chunk by chunk. */
  take(entry: ReadEntry): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.maxEntries)
      throw new ArchiveError(`the archive holds more than ${this.#limits.maxEntries} entries`);
    const kind = kinds[entry.type];
    // Devices and the like are left out.
    if (kind === undefined) return void entry.resume();
    const path = partsOf(entry.path, `"${entry.path}"`).join('/');
    if (kind === 'file') return this.#write(entry, path);
    if (kind === 'folder') this.#folder(path);
    else this.#links.push({ kind, path, target: this.#targetOf(entry, kind) });
    entry.resume();
  }

  /** Makes the links, once every file is written. */
  finish(): void {
    for (const { kind, path, target } of this.#links) {
      this.#folderOf(path);
      const place = join(this.#root, path);
      this.#once(path, () =>
        kind === 'symlink' ? symlinkSync(target, place) : linkSync(join(this.#root, target), place),
      );
      // What hangs below a link would be written through it.
      this.#files.add(path);
    }
  }

  #targetOf(entry: ReadEntry, kind: 'symlink' | 'link'): string {
    const target = entry.linkpath ?? '';
    const parts = partsOf(target, `the link "${entry.path}" to "${target}"`);
    if (kind === 'symlink') return target;
    const path = parts.join('/');
    if (!this.#files.has(path))
      throw new ArchiveError(`the link "${entry.path}" to "${target}": no such file comes before it`);
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
    if (this.#files.has(path)) throw new ArchiveError(`"${path}" is a file and a folder`);
    mkdirSync(join(this.#root, path), ownerBits);
    this.#folders.add(path);
  }

  #once<T>(path: string, make: () => T): T {
    try {
      return make();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new ArchiveError(`"${path}" is there twice`);
    }
  }
}

/** Throws ArchiveError, or what the file system says; what was written until then stays. */
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
          ? 'the archive ends too early'
          : `the archive is damaged: ${String(message)}`,
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
