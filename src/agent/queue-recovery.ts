// Queue recovery: reads the files of the event queue that an earlier run left, before anything is written. Where a crash cut
// the newest file off nothing had been promised; any other damage loses what stood there, and the log names the file.
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
import type { Logger } from '../program/log.ts';
import { type ScannedSegment, scanSegment, segmentFormat, segmentHeaderBytes } from './queue-segment.ts';

/** A file of the queue, and where its events are. */
export interface Segment {
  readonly path: string;
  readonly firstKey: number;
  /** Where the record of `firstKey + index` starts; 0: there is none, or it was removed. */
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
      `${path} has format ${format}, this mon-agent reads format ${segmentFormat}; start the version that wrote it`,
    );
  const segment = segmentOf(path, Number.parseInt(name, 10), content.length, scanned);
  const last = scanned.damaged.at(-1);
  const tail = isNewest && last?.to === content.length ? last : undefined;
  if (tail !== undefined) {
    log.warn(
      { path, from: tail.from, to: tail.to },
      'the api queue ended in the middle of a write: cut off there',
    );
    segment.bytes = tail.from;
    if (tail.from > segmentHeaderBytes) cutOff(path, tail.from);
  }
  const damaged = scanned.damaged.filter((part) => part !== tail);
  for (const { from, to } of damaged)
    log.error({ path, from, to }, 'a file of the api queue is damaged: events in this part of it are lost');
  if (segment.waiting === 0 && damaged.length === 0) rmSync(path);
  if (segment.waiting === 0 && damaged.length > 0) {
    renameSync(path, `${path}.damaged`);
    log.error({ path: `${path}.damaged` }, 'no event of this file of the api queue can be read: set aside');
  }
  return segment;
};

/** The files that hold events, oldest first. Throws when one can't be opened, or is of a later version. */
export const readSegments = (folder: string, log: Logger): Segment[] => {
  const names = readdirSync(folder)
    .filter((name) => namePattern.test(name))
    .sort();
  const newest = names.at(-1);
  return names
    .map((name) => readSegment(folder, name, name === newest, log))
    .filter(({ waiting }) => waiting > 0);
};
