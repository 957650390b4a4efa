// Reads a backup file and validates all of it: every line, every checksum and the end. Errors name the line.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { LineSplitter } from '../../program/line-splitter.ts';
import { version } from '../../program/version.ts';
import { storeFormat } from '../format-marker.ts';
import { checkEnvelope, UnreadableRecord } from '../record-codec.ts';
import { checkKey } from '../record-key.ts';
import { recordKinds, StoreError } from '../snapshot-store.ts';
import {
  type BackupEnd,
  BackupError,
  type BackupHeader,
  type BlockLine,
  backupFormat,
  Checksums,
  type EndLine,
  type GoneLine,
  type RecordLine,
  type UnreadableLine,
} from './backup-format.ts';
import { maxLineBytes } from './limits.ts';

/** One entry of the backup; `at` is its line number. */
export type BackupLine =
  | { readonly type: 'header'; readonly header: BackupHeader }
  | { readonly type: 'record'; readonly at: number; readonly line: RecordLine; readonly bytes: number }
  | { readonly type: 'gone'; readonly at: number; readonly line: GoneLine }
  | { readonly type: 'unreadable'; readonly line: UnreadableLine['unreadable'] }
  | { readonly type: 'changes' }
  | { readonly type: 'end'; readonly end: BackupEnd };

const kinds: ReadonlySet<unknown> = new Set(recordKinds);

/** Throws BackupError. If it ends normally, the file is complete and unaltered. */
export async function* readBackup(file: string): AsyncGenerator<BackupLine, void, void> {
  const sums = new Checksums();
  let at = 0;
  let blocks = 0;
  let blockBegan = 1;
  let end: BackupEnd | undefined;
  for await (const bytes of linesIn(file)) {
    at += 1;
    if (end !== undefined) throw altered(file, `something follows its end in line ${at}`);
    const value = parse(file, bytes, at);
    if (at === 1) {
      yield { type: 'header', header: checkHeader(file, value) };
    } else if ('block' in value) {
      const { block, sha256 } = value as unknown as BlockLine;
      blocks += 1;
      if (block !== blocks || sha256 !== sums.endBlock())
        throw altered(file, `the checksum of lines ${blockBegan} to ${at - 1} differs`);
      blockBegan = at;
    } else if ('end' in value) {
      const line = value as unknown as EndLine;
      const { end: said } = line;
      if (said.blocks !== blocks || said.lines !== at - 1 || line.sha256 !== sums.end(said))
        throw altered(file, 'the checksum of the whole differs');
      end = said;
      yield { type: 'end', end };
      continue;
    } else {
      yield bodyLine(file, value, at, bytes.length);
    }
    sums.add(bytes);
  }
  if (end === undefined) throw truncated(file, at);
}

const bodyLine = (
  file: string,
  value: Readonly<Record<string, unknown>>,
  at: number,
  bytes: number,
): BackupLine => {
  if ('changes' in value) return { type: 'changes' };
  if ('unreadable' in value)
    return { type: 'unreadable', line: (value as unknown as UnreadableLine).unreadable };
  const { kind, key } = value;
  if (!kinds.has(kind) || typeof key !== 'string') throw altered(file, `line ${at} names no record`);
  try {
    checkKey(String(kind), key);
    if ('gone' in value) return { type: 'gone', at, line: value as unknown as GoneLine };
    checkEnvelope(value.record);
  } catch (error) {
    if (!(error instanceof UnreadableRecord || error instanceof StoreError)) throw error;
    throw altered(file, `the record in line ${at} (${kind} ${key}) can't be read: ${error.message}`);
  }
  return { type: 'record', at, line: value as unknown as RecordLine, bytes };
};

const checkHeader = (file: string, value: Readonly<Record<string, unknown>>): BackupHeader => {
  const header = value as unknown as BackupHeader;
  if (header.mon !== 'backup' || typeof header.id !== 'string')
    throw new BackupError(`${file} is no backup of mon`);
  if (header.format > backupFormat || header.storeFormat > storeFormat)
    throw new BackupError(
      `${file} was made by mon-backend ${header.program} (backup format ${header.format}, store format ${header.storeFormat}); ` +
        `this is mon-backend ${version}, which reads backup formats up to ${backupFormat} and store formats up to ${storeFormat}: ` +
        `restore it with version ${header.program} or newer`,
    );
  return header;
};

const parse = (file: string, bytes: Buffer, at: number): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Said below.
  }
  throw at === 1 ? new BackupError(`${file} is no backup of mon`) : altered(file, `line ${at} is not JSON`);
};

/** Yields lines without line breaks. Throws BackupError if the file is not gzip or is truncated. */
async function* linesIn(file: string): AsyncGenerator<Buffer, void, void> {
  const source = createReadStream(file);
  const plain = source.pipe(createGunzip());
  source.once('error', (error) => plain.destroy(error));
  const splitter = new LineSplitter();
  let lines = 0;
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      for (const line of splitter.push(chunk)) {
        lines += 1;
        yield line;
      }
      if (splitter.restBytes > maxLineBytes) throw altered(file, `line ${lines + 1} is too long`);
    }
  } catch (error) {
    throw readError(file, error, lines);
  } finally {
    source.destroy();
    plain.destroy();
  }
  if (splitter.restBytes > 0) throw truncated(file, lines);
}

const readError = (file: string, error: unknown, lines: number): unknown => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof BackupError) return error;
  if (code === 'Z_BUF_ERROR') return truncated(file, lines);
  if (code === 'Z_DATA_ERROR' && lines === 0) return new BackupError(`${file} is no backup of mon`);
  if (code?.startsWith('Z_') === true) return altered(file, `it can't be decompressed after line ${lines}`);
  return new BackupError(`${file} can't be read: ${message}`);
};

const truncated = (file: string, lines: number): BackupError =>
  new BackupError(`${file} is cut off: it ends after line ${lines}. Take another copy or another backup`);

const altered = (file: string, what: string): BackupError =>
  new BackupError(`${file} was altered: ${what}. Take another copy or another backup`);
