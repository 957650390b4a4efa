// Event queue: events of the HTTP API, on disk until the backend has them (interface section 4.5; agent sheet 5.2).
// They outlive the agent: what was accepted with 202 goes out after a restart, first in, first out.
import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { open } from 'lmdb';
import { type Event, eventSchema } from '../model/event.ts';
import { makeFolder } from '../program/folders.ts';
import { checkDataFile, openingFiles } from '../program/lmdb-file.ts';
import { errorText, type Logger } from '../program/log.ts';
import { maxEmptyQueueBytes } from './limits.ts';

export interface QueuedEvent {
  readonly key: number;
  readonly event: Event;
}

export interface EventQueue {
  /** Resolves when the event is on disk. Rejects when it could not be written. */
  add(event: Event): Promise<void>;
  /** The oldest events after a key, at most so many. Keys are above 0. */
  after(key: number, limit: number): QueuedEvent[];
  remove(key: number): Promise<void>;
  size(): number;
  close(): Promise<void>;
}

/**
 * One agent a directory. A socket is the lock: the system frees it when the process ends, however it ends.
 * Only where the system has sockets without files.
 */
const lock = (directory: string): Promise<Server | null> => {
  const name = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 32);
  const path =
    process.platform === 'linux'
      ? `\0mon-agent-${name}`
      : process.platform === 'win32'
        ? `\\\\.\\pipe\\mon-agent-${name}`
        : null;
  if (path === null) return Promise.resolve(null);
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'EADDRINUSE' ? new Error('another mon-agent uses it') : error),
    );
    server.listen(path, () => done(server.unref()));
  });
};

/** What an agent keeps in its cache directory. */
export const isOfCache = (name: string): boolean => ['queue', 'assets'].includes(name);

export const eventQueuePath = (cacheDir: string): string => join(cacheDir, 'queue');

/**
 * A write resolves once it is on the disk (`overlappingSync` off); a failed one is told to whoever made it, and to nobody
 * else (`eventTurnBatching` off). More on both in `src/store/lmdb-store.ts`.
 */
const openStore = (path: string) => {
  makeFolder(path);
  return openingFiles(path, () =>
    open<string, number>({
      path,
      noSubdir: false,
      encoding: 'string',
      overlappingSync: false,
      eventTurnBatching: false,
    }),
  );
};

/** The file of a queue that was long once and is empty now is given back to the disk. */
const openCompact = async (path: string): Promise<ReturnType<typeof openStore>> => {
  const store = openStore(path);
  const file = join(path, 'data.mdb');
  if (store.getCount() > 0 || statSync(file).size <= maxEmptyQueueBytes) return store;
  await store.close();
  rmSync(path, { recursive: true, force: true });
  return openStore(path);
};

/** Opens, or creates, the queue below the cache directory. Rejects when that can't be done. */
export const openEventQueue = async (cacheDir: string, log: Logger): Promise<EventQueue> => {
  const path = eventQueuePath(cacheDir);
  let held: Server | null;
  let store: ReturnType<typeof openStore>;
  try {
    makeFolder(cacheDir);
    held = await lock(cacheDir);
    checkDataFile(path);
    store = await openCompact(path);
  } catch (error) {
    throw new Error(
      `could not open api queue (${path}): ${errorText(error)} (is mon-agent already running? set --cache-dir)`,
    );
  }
  let last = 0;
  for (const key of store.getKeys({ reverse: true, limit: 1 })) last = key;

  const read = (key: number, text: string): QueuedEvent | null => {
    try {
      return { key, event: eventSchema.parse(JSON.parse(text)) };
    } catch (error) {
      log.error({ key, error: errorText(error) }, 'unreadable event in the api queue: removed');
      void remove(key).catch((failure) => log.error({ error: errorText(failure) }, 'api queue write failed'));
      return null;
    }
  };

  /** LMDB tells a failed commit twice; the second telling must not become an unhandled rejection. */
  const committed = async (write: Promise<boolean>): Promise<void> => {
    try {
      await write;
    } catch (error) {
      const second = (error as { commitError?: Promise<unknown> }).commitError;
      second?.catch?.(() => {});
      throw error;
    }
  };

  const remove = (key: number) => committed(store.remove(key));

  return {
    add: (event) => {
      last += 1;
      return committed(store.put(last, JSON.stringify(event)));
    },
    after: (afterKey, limit) =>
      [...store.getRange({ start: afterKey + 1, limit })].flatMap(({ key, value }) => {
        const queued = read(key, value);
        return queued === null ? [] : [queued];
      }),
    remove,
    size: () => store.getCount(),
    close: async () => {
      await store.close();
      held?.close();
    },
  };
};
