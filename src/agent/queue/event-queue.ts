// The queue of events from the HTTP API, on disk until the backend has them. Events
// accepted with 202 survive a restart and are sent in order.
import type { Server } from 'node:net';
import { join } from 'node:path';
import { type Event, eventSchema } from '../../model/event/event.ts';
import { makeFolder } from '../../program/folders.ts';
import { errorText, type Logger } from '../../program/log.ts';
import { platform } from '../platform.ts';
import { openQueueFiles, type QueueFileLimits, type QueueFiles } from './queue-files.ts';
import { takeQueueLock } from './queue-owner.ts';
import { takeOverLmdbQueue } from './queue-takeover.ts';

interface QueuedEvent {
  readonly key: number;
  readonly event: Event;
}

export interface EventQueue {
  /** Resolves when the event is on disk. Rejects if it could not be written. */
  add(event: Event): Promise<void>;
  /** The oldest events after a key, up to `limit`. Keys are above 0. */
  after(key: number, limit: number): QueuedEvent[];
  remove(key: number): Promise<void>;
  size(): number;
  close(): Promise<void>;
}

/** The names an agent uses in its cache directory. */
export const isOfCache = (name: string): boolean => ['queue', 'assets', 'owner.sock'].includes(name);

export const eventQueuePath = (cacheDir: string): string => join(cacheDir, 'queue');

/** Opens or creates the queue in the cache directory. Rejects if that fails. */
export const openEventQueue = async (
  cacheDir: string,
  log: Logger,
  limits?: QueueFileLimits,
): Promise<EventQueue> => {
  const path = eventQueuePath(cacheDir);
  let held: Server | null = null;
  let files: QueueFiles;
  try {
    makeFolder(cacheDir);
    held = await takeQueueLock(platform.queueLock(cacheDir));
    files = openQueueFiles(path, log, limits);
    await takeOverLmdbQueue(path, files, log);
  } catch (error) {
    held?.close();
    throw new Error(
      `could not open api queue (${path}): ${errorText(error)} (is mon-agent already running? set --cache-dir)`,
    );
  }

  const giveUp = (key: number, why: string) => {
    log.error({ key, error: why }, 'unreadable event in the api queue: removed');
    files.remove(key).catch((failure) => log.error({ error: errorText(failure) }, 'api queue write failed'));
  };

  const read = (key: number): QueuedEvent | null => {
    const text = files.read(key);
    if (text === undefined) {
      giveUp(key, 'its bytes on disk are damaged');
      return null;
    }
    try {
      return { key, event: eventSchema.parse(JSON.parse(text)) };
    } catch (error) {
      giveUp(key, errorText(error));
      return null;
    }
  };

  return {
    add: (event) => files.append(JSON.stringify(event)),
    after: (afterKey, limit) =>
      files.after(afterKey, limit).flatMap((key) => {
        const queued = read(key);
        return queued === null ? [] : [queued];
      }),
    remove: (key) => files.remove(key),
    size: () => files.size(),
    close: async () => {
      await files.close();
      held?.close();
    },
  };
};
