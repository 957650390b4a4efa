// Reads the pages of an LMDB file (lmdb.h and mdb.c; page header of 24 bytes): which pages the newest transaction
// needs, and whether the file contains them. Reads the file without mapping it. Little-endian, as on x86 and ARM.
import { readSync } from 'node:fs';

const magicAt = 24;
const magic = 0xbeefc0de;
const pageSizeAt = 48;
/** The two root trees of every file: free pages and named tables. */
const rootsAt = [88, 136];
const rootInTable = 40;
const lastPageAt = 144;
const transactionAt = 152;
const metaBytes = 160;

const headerBytes = 24;
const flagsAt = 18;
const lowerAt = 20;
const branchPage = 1;
const leafPage = 2;
const overflowPage = 4;
const onOverflowPages = 1;
const isTable = 2;
const nodeBytes = 8;
const none = -1;

interface Meta {
  readonly pageBytes: number;
  readonly roots: readonly number[];
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

/** Whether a file of this size contains every page reachable from the roots. */
export const hasAllPages = (file: number, { pageBytes, roots }: Meta, size: number): boolean => {
  const page = Buffer.alloc(pageBytes);
  const waiting = roots.filter((root) => root !== none);
  const isInside = (from: number, pages: number) => from > 0 && (from + pages) * pageBytes <= size;

  /** Follows a node of the current page; false if its target is missing. */
  const follow = (at: number, isBranch: boolean): boolean => {
    const [low, high, flags, keyBytes] = [0, 2, 4, 6].map((offset) => page.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
      number,
    ];
    const data = at + nodeBytes + keyBytes;
    if (isBranch) waiting.push(low + high * 2 ** 16 + flags * 2 ** 32);
    else if ((flags & onOverflowPages) !== 0) return hasOverflow(Number(page.readBigUInt64LE(data)));
    else if ((flags & isTable) !== 0) {
      const root = Number(page.readBigInt64LE(data + rootInTable));
      if (root !== none) waiting.push(root);
    }
    return true;
  };
  const hasOverflow = (number: number): boolean => {
    const header = Buffer.alloc(headerBytes);
    if (!isInside(number, 1)) return false;
    readSync(file, header, 0, headerBytes, number * pageBytes);
    return (
      (header.readUInt16LE(flagsAt) & overflowPage) !== 0 && isInside(number, header.readUInt32LE(lowerAt))
    );
  };

  try {
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      if (!isInside(number, 1)) return false;
      readSync(file, page, 0, pageBytes, number * pageBytes);
      const flags = page.readUInt16LE(flagsAt);
      if ((flags & (branchPage | leafPage)) === 0) return false;
      const nodes = page.readUInt16LE(lowerAt) >> 1;
      for (let node = 0; node < nodes; node += 1) {
        const at = page.readUInt16LE(headerBytes + 2 * node) + headerBytes;
        if (!follow(at, (flags & branchPage) !== 0)) return false;
      }
    }
    return true;
  } catch (error) {
    // A node pointing past the end of its page is corrupt.
    if (error instanceof RangeError) return false;
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
