// The file format of the event queue: a header followed by records. Pure: bytes in, bytes out.
//
// header  "monq", format (4 bytes), first key (8 bytes)
// record  0xff, state, length (4), key (6), CRC-32 of length, key and text (4), text in UTF-8
//
// Numbers are little endian. Records are only appended; the only byte that is overwritten is the state of a
// delivered event, so that it can be removed on a full disk. 0xff never occurs in UTF-8, so the next record can be
// found after a damaged one.
import { crc32 } from 'node:zlib';

export const segmentFormat = 1;
export const segmentHeaderBytes = 16;
export const recordHeaderBytes = 16;

const magic = 'monq';
const recordStart = 0xff;
const waiting = 0x57;
/** The state byte of a removed record. */
export const removedState = 0x52;
export const stateOffset = 1;
const lengthOffset = 2;
const keyOffset = 6;
const checksumOffset = 12;

interface ScannedRecord {
  readonly key: number;
  /** Offset of the record in the file. */
  readonly offset: number;
  readonly removed: boolean;
}

interface DamagedPart {
  readonly from: number;
  readonly to: number;
}

export interface ScannedSegment {
  /** Undefined if the header is unreadable. */
  readonly format: number | undefined;
  readonly records: readonly ScannedRecord[];
  readonly damaged: readonly DamagedPart[];
}

export const segmentHeader = (firstKey: number): Buffer => {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write(magic, 'latin1');
  header.writeUInt32LE(segmentFormat, 4);
  header.writeBigUInt64LE(BigInt(firstKey), 8);
  return header;
};

const checksumOf = (record: Buffer, end: number): number =>
  crc32(record.subarray(recordHeaderBytes, end), crc32(record.subarray(lengthOffset, checksumOffset)));

export const encodeRecord = (key: number, text: string): Buffer => {
  const length = Buffer.byteLength(text);
  const record = Buffer.alloc(recordHeaderBytes + length);
  record[0] = recordStart;
  record[stateOffset] = waiting;
  record.writeUInt32LE(length, lengthOffset);
  record.writeUIntLE(key, keyOffset, 6);
  record.write(text, recordHeaderBytes);
  record.writeUInt32LE(checksumOf(record, record.length), checksumOffset);
  return record;
};

/** The bytes of the record at this offset; undefined if it is missing or incomplete. */
const wholeRecord = (bytes: Buffer, offset: number): Buffer | undefined => {
  if (bytes[offset] !== recordStart || offset + recordHeaderBytes > bytes.length) return undefined;
  const end = offset + recordHeaderBytes + bytes.readUInt32LE(offset + lengthOffset);
  if (end > bytes.length) return undefined;
  const record = bytes.subarray(offset, end);
  return checksumOf(record, record.length) === record.readUInt32LE(checksumOffset) ? record : undefined;
};

/** The text of a record; undefined if it is damaged or has another key. */
export const recordText = (bytes: Buffer, key: number): string | undefined => {
  const record = wholeRecord(bytes, 0);
  return record?.readUIntLE(keyOffset, 6) === key ? record.toString('utf8', recordHeaderBytes) : undefined;
};

/** The record length according to its header. */
export const recordBytes = (header: Buffer): number => recordHeaderBytes + header.readUInt32LE(lengthOffset);

const nextRecord = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(recordStart, from); at >= 0; at = bytes.indexOf(recordStart, at + 1))
    if (wholeRecord(bytes, at) !== undefined) return at;
  return bytes.length;
};

const formatOf = (bytes: Buffer): number | undefined =>
  bytes.length >= segmentHeaderBytes && bytes.toString('latin1', 0, magic.length) === magic
    ? bytes.readUInt32LE(4)
    : undefined;

/** All readable records of a file, even if other parts are damaged. */
export const scanSegment = (bytes: Buffer): ScannedSegment => {
  const format = formatOf(bytes);
  const records: ScannedRecord[] = [];
  const damaged: DamagedPart[] = [];
  let offset = format === undefined ? nextRecord(bytes, 0) : segmentHeaderBytes;
  if (format === undefined) damaged.push({ from: 0, to: offset });
  while (offset < bytes.length) {
    const record = wholeRecord(bytes, offset);
    if (record === undefined) {
      const to = nextRecord(bytes, offset + 1);
      damaged.push({ from: offset, to });
      offset = to;
    } else {
      const removed = record[stateOffset] === removedState;
      records.push({ key: record.readUIntLE(keyOffset, 6), offset, removed });
      offset += record.length;
    }
  }
  return { format, records, damaged };
};
