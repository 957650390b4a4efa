// Reads the pages of an LMDB file (lmdb.h and mdb.c; page header of 24 bytes): which pages the newest transaction
// needs, and whether they are in the file and what they should be. Reads the file without mapping it. Little-endian, as on x86 and ARM.
import { readSync } from 'node:fs';

const magicAt = 24;
const magic = 0xbeefc0de;
const pageSizeAt = 48;
/** The two root trees of every file: free pages and named tables. */
const rootsAt = [88, 136];
const depthInTable = 6;
const rootInTable = 40;
/** The record of a table, which is the value of its name. */
const tableBytes = 48;
const lastPageAt = 144;
const transactionAt = 152;
const metaBytes = 160;

const headerBytes = 24;
const flagsAt = 18;
const lowerAt = 20;
const upperAt = 22;
const branchPage = 1;
const leafPage = 2;
const overflowPage = 4;
const onOverflowPages = 1;
const isTable = 2;
const nodeBytes = 8;
const overflowNumberBytes = 8;
const none = -1;

interface Meta {
  readonly pageBytes: number;
  readonly roots: readonly number[];
  /** Of the trees below the roots. */
  readonly depths: readonly number[];
  /** The expected file size, if no page at the end was freed unwritten. */
  readonly bytes: number;
  readonly transaction: bigint;
}

const readMeta = (file: number, at: number): Meta | undefined => {
  const page = Buffer.alloc(metaBytes);
  if (readSync(file, page, 0, metaBytes, at) < metaBytes || page.readUInt32LE(magicAt) !== magic)
    return undefined;
  const pageBytes = page.readUInt32LE(pageSizeAt);
  return {
    pageBytes,
    roots: rootsAt.map((root) => Number(page.readBigInt64LE(root))),
    depths: rootsAt.map((root) => page.readUInt16LE(root - rootInTable + depthInTable)),
    bytes: (Number(page.readBigUInt64LE(lastPageAt)) + 1) * pageBytes,
    transaction: page.readBigUInt64LE(transactionAt),
  };
};

/** The newest meta page; undefined if the file has none. */
export const newestMeta = (file: number): Meta | undefined => {
  const first = readMeta(file, 0);
  const second = first && readMeta(file, first.pageBytes);
  return first !== undefined && second !== undefined && second.transaction > first.transaction
    ? second
    : first;
};

/** A page that can't be what the trees of the file say. */
export interface BadPage {
  readonly number: number;
  /** Beyond the end of the file, or not what belongs there. */
  readonly why: 'missing' | 'damaged';
}

class Bad extends Error {
  readonly page: BadPage;
  constructor(number: number, why: BadPage['why']) {
    super(`page ${number} is ${why}`);
    this.page = { number, why };
  }
}

interface Waiting {
  readonly number: number;
  readonly depth: number;
  /** The depth of all leaves of its tree. */
  readonly leafDepth: number;
}

/** Walks the trees of a file without mapping it. LMDB itself trusts its pages, and a bad one may end the process. */
class Walk {
  readonly #file: number;
  readonly #size: number;
  readonly #pageBytes: number;
  readonly #page: Buffer;
  readonly #header = Buffer.alloc(headerBytes);
  readonly #seen: Uint8Array;
  readonly #waiting: Waiting[] = [];

  constructor(file: number, { pageBytes }: Meta, size: number) {
    this.#file = file;
    this.#size = size;
    this.#pageBytes = pageBytes;
    this.#page = Buffer.alloc(pageBytes);
    this.#seen = new Uint8Array(Math.floor(size / pageBytes));
  }

  /** Throws Bad. */
  run({ roots, depths }: Meta): void {
    for (const [index, number] of roots.entries()) this.#enter(number, depths[index] ?? 0);
    for (let at = this.#waiting.pop(); at !== undefined; at = this.#waiting.pop()) this.#visit(at);
  }

  #enter(number: number, depth: number): void {
    if (number !== none) this.#waiting.push({ number, depth: 1, leafDepth: depth });
  }

  /** Every page belongs to one place, so one that is met twice is damage as well. */
  #claim(number: number, pages: number): void {
    if (number < 2 || (number + pages) * this.#pageBytes > this.#size) throw new Bad(number, 'missing');
    for (let at = number; at < number + pages; at += 1) {
      if (this.#seen[at] === 1) throw new Bad(number, 'damaged');
      this.#seen[at] = 1;
    }
  }

  #visit({ number, depth, leafDepth }: Waiting): void {
    const page = this.#page;
    this.#claim(number, 1);
    readSync(this.#file, page, 0, this.#pageBytes, number * this.#pageBytes);
    const [flags, lower, upper] = [flagsAt, lowerAt, upperAt].map((at) => page.readUInt16LE(at)) as [
      number,
      number,
      number,
    ];
    const isBranch = (flags & branchPage) !== 0;
    const isTree = isBranch !== ((flags & leafPage) !== 0) && (flags & overflowPage) === 0;
    const fits = lower % 2 === 0 && lower <= upper && upper <= this.#pageBytes - headerBytes;
    const isInPlace = isBranch ? depth < leafDepth && lower >= 4 : depth === leafDepth && lower >= 2;
    if (page.readBigUInt64LE(0) !== BigInt(number) || !isTree || !fits || !isInPlace)
      throw new Bad(number, 'damaged');
    for (let pointer = 0; pointer < lower; pointer += 2) {
      const at = page.readUInt16LE(headerBytes + pointer);
      if (at < upper) throw new Bad(number, 'damaged');
      this.#follow(number, at + headerBytes, isBranch, { depth, leafDepth });
    }
  }

  /** Follows a node of the current page. */
  #follow(
    number: number,
    at: number,
    isBranch: boolean,
    { depth, leafDepth }: Omit<Waiting, 'number'>,
  ): void {
    const page = this.#page;
    if (at + nodeBytes > this.#pageBytes) throw new Bad(number, 'damaged');
    const [low, high, flags, keyBytes] = [0, 2, 4, 6].map((offset) => page.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
      number,
    ];
    const data = at + nodeBytes + keyBytes;
    if (isBranch) {
      if (data > this.#pageBytes) throw new Bad(number, 'damaged');
      this.#waiting.push({ number: low + high * 2 ** 16 + flags * 2 ** 32, depth: depth + 1, leafDepth });
      return;
    }
    const bytes = low + high * 2 ** 16;
    const isElsewhere = (flags & onOverflowPages) !== 0;
    if (data + (isElsewhere ? overflowNumberBytes : bytes) > this.#pageBytes)
      throw new Bad(number, 'damaged');
    if (isElsewhere) this.#claimOverflow(Number(page.readBigUInt64LE(data)), bytes);
    else if ((flags & isTable) !== 0) {
      if (bytes < tableBytes) throw new Bad(number, 'damaged');
      this.#enter(Number(page.readBigInt64LE(data + rootInTable)), page.readUInt16LE(data + depthInTable));
    }
  }

  #claimOverflow(number: number, bytes: number): void {
    this.#claim(number, 1);
    readSync(this.#file, this.#header, 0, headerBytes, number * this.#pageBytes);
    const pages = this.#header.readUInt32LE(lowerAt);
    const isOverflow = (this.#header.readUInt16LE(flagsAt) & overflowPage) !== 0;
    const isOwn = this.#header.readBigUInt64LE(0) === BigInt(number);
    if (!isOverflow || !isOwn || pages * this.#pageBytes < headerBytes + bytes)
      throw new Bad(number, 'damaged');
    if (pages > 1) this.#claim(number + 1, pages - 1);
  }
}

/** The first bad page reachable from the roots of a file of this size; undefined if all are as they should be. */
export const firstBadPage = (file: number, meta: Meta, size: number): BadPage | undefined => {
  try {
    new Walk(file, meta, size).run(meta);
    return undefined;
  } catch (error) {
    if (error instanceof Bad) return error.page;
    throw error;
  }
};

/** The values of the unnamed table, in key order. Only for a complete file that no process writes to. */
export function* valuesOf(file: number, { pageBytes, roots }: Meta): Generator<Buffer> {
  const readPages = (number: number, count: number): Buffer => {
    const pages = Buffer.alloc(pageBytes * count);
    readSync(file, pages, 0, pages.length, number * pageBytes);
    return pages;
  };
  const valueAt = (page: Buffer, at: number): Buffer => {
    const length = page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16;
    const data = at + nodeBytes + page.readUInt16LE(at + 6);
    if ((page.readUInt16LE(at + 4) & onOverflowPages) === 0) return page.subarray(data, data + length);
    const pages = readPages(
      Number(page.readBigUInt64LE(data)),
      Math.ceil((headerBytes + length) / pageBytes),
    );
    return pages.subarray(headerBytes, headerBytes + length);
  };
  function* below(number: number): Generator<Buffer> {
    const page = readPages(number, 1);
    const isBranch = (page.readUInt16LE(flagsAt) & branchPage) !== 0;
    const nodes = page.readUInt16LE(lowerAt) >> 1;
    for (let node = 0; node < nodes; node += 1) {
      const at = page.readUInt16LE(headerBytes + 2 * node) + headerBytes;
      if (isBranch)
        yield* below(
          page.readUInt16LE(at) + page.readUInt16LE(at + 2) * 2 ** 16 + page.readUInt16LE(at + 4) * 2 ** 32,
        );
      else yield valueAt(page, at);
    }
  }
  const root = roots[1] ?? none;
  if (root !== none) yield* below(root);
}
