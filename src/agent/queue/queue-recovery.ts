// Reads the queue files of an earlier run before anything is written. A truncated newest file is normal after a
// crash: those writes were not confirmed. Other damage loses the affected events, and the log names the file.
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../program/log.ts';
import { type ScannedSegment, scanSegment, segmentFormat, segmentHeaderBytes } from './queue-segment.ts';

/** A queue file and the positions of its events. */
export interface Segment {
  readonly path: string;
  readonly firstKey: number;
  /** The offset of the record with key `firstKey + index`; 0 if it is missing or removed. */
  readonly offsets: number[];
  waiting: number;
  bytes: number;
}

const suffix = '.events';
const namePattern = /^\d{16}\.events$/;

export const segmentName = (firstKey: number): string => `${String(firstKey).padStart(16, '0')}${suffix}`;

export const lastKeyOf = ({ firstKey, offsets }: Segment): number => firstKey + offsets.length - 1;

export const noteRecord = (segment: Segment, key: number, offset: number): void => {
  const index = key - segment.firstKey;
  while (segment.offsets.length < index) segment.offsets.push(0);
  segment.offsets[index] = offset;
  segment.waiting += 1;
};

const segmentOf = (path: string, firstKey: number, bytes: number, { records }: ScannedSegment): Segment => {
  const segment: Segment = { path, firstKey, offsets: [], waiting: 0, bytes };
  for (const { key, offset, removed } of records)
    if (!removed && key > lastKeyOf(segment)) noteRecord(segment, key, offset);
  return segment;
};

const cutOff = (path: string, bytes: number): void => {
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

const readSegment = (folder: string, name: string, isNewest: boolean, log: Logger): Segment => {
  const path = join(folder, name);
  const content = readFileSync(path);
  const scanned = scanSegment(content);
  const { format } = scanned;
  if (format !== undefined && format !== segmentFormat)
    throw new Error(
      `${path} has format ${format}, but this mon-agent reads format ${segmentFormat}; start the version that wrote it`,
    );
  const segment = segmentOf(path, Number.parseInt(name, 10), content.length, scanned);
  const last = scanned.damaged.at(-1);
  const tail = isNewest && last?.to === content.length ? last : undefined;
  if (tail !== undefined) {
    log.warn(
      { path, from: tail.from, to: tail.to },
      'the api queue ended with a partial write; it was truncated there',
    );
    segment.bytes = tail.from;
    if (tail.from > segmentHeaderBytes) cutOff(path, tail.from);
  }
  const damaged = scanned.damaged.filter((part) => part !== tail);
  for (const { from, to } of damaged)
    log.error({ path, from, to }, 'a file of the api queue is damaged: its unreadable events are lost');
  if (segment.waiting === 0 && damaged.length === 0) rmSync(path);
  if (segment.waiting === 0 && damaged.length > 0) {
    renameSync(path, `${path}.damaged`);
    log.error(
      { path: `${path}.damaged` },
      'no event in this file of the api queue can be read; the file was moved aside',
    );
  }
  return segment;
};

/** The files that contain events, oldest first. Throws if one cannot be opened or has a later format version. */
export const readSegments = (folder: string, log: Logger): Segment[] => {
  const names = readdirSync(folder)
    .filter((name) => namePattern.test(name))
    .sort();
  const newest = names.at(-1);
  return names
    .map((name) => readSegment(folder, name, name === newest, log))
    .filter(({ waiting }) => waiting > 0);
};
