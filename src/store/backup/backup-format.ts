// The file a backup is kept in: gzip of lines of JSON, so that `zcat backup | head` shows what is inside. Version 1:
//
//   {"mon":"backup","format":1,"id":...,"program":...,"store":...,"storeFormat":2,"migrated":2,"startedAt":...}
//   {"kind":"check","key":"default/web-01/cpu","record":{...}}     one a record, as in snapshot-store.ts
//   {"unreadable":{"kind":...,"key":...,"fault":...}}              one the store could not read: it is not in the backup
//   {"block":1,"sha256":...}                                       of all lines since the block before, after 1,000 lines
//   {"changes":true}                                               from here on keys come again: the last one counts
//   {"kind":"check","key":...,"gone":true}
//   {"end":{"blocks":..,"lines":..,"finishedAt":..},"sha256":...}  of all lines before and of the text of `end`
//
// Restores read all of it, and compare every checksum, before they write the first record.
import { createHash, type Hash } from 'node:crypto';
import type { RecordKind, StoredRecord } from '../snapshot-store.ts';

export const backupFormat = 1;

export interface BackupHeader {
  readonly mon: 'backup';
  readonly format: number;
  readonly id: string;
  /** Version of the program that made it. */
  readonly program: string;
  /** The kind of store it was made of; it can be restored into any. */
  readonly store: string;
  readonly storeFormat: number;
  readonly migrated: number;
  readonly startedAt: string;
}

export interface RecordLine {
  readonly kind: RecordKind;
  readonly key: string;
  readonly record: StoredRecord;
}

export interface GoneLine {
  readonly kind: RecordKind;
  readonly key: string;
  readonly gone: true;
}

export interface UnreadableLine {
  readonly unreadable: { readonly kind: RecordKind; readonly key: string; readonly fault: string };
}

export interface BlockLine {
  readonly block: number;
  readonly sha256: string;
}

export interface BackupEnd {
  readonly blocks: number;
  /** All lines but this one. */
  readonly lines: number;
  readonly finishedAt: string;
}

export interface EndLine {
  readonly end: BackupEnd;
  readonly sha256: string;
}

/** The file can't be used; the message says what is wrong with it and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Both sums of a backup, as its lines go by. */
export class Checksums {
  readonly #all: Hash = createHash('sha256');
  #block: Hash = createHash('sha256');

  add(line: string | Uint8Array): void {
    for (const hash of [this.#all, this.#block]) {
      hash.update(line);
      hash.update('\n');
    }
  }

  /** The sum of the lines since the last one; begins the next block. */
  endBlock(): string {
    const sum = this.#block.digest('hex');
    this.#block = createHash('sha256');
    return sum;
  }

  /** Of everything, `end` included. Nothing can be added afterwards. */
  end(end: BackupEnd): string {
    return this.#all.update(JSON.stringify(end)).digest('hex');
  }
}
