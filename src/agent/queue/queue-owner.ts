// Queue owner: one agent at a time uses a cache directory. The lock is a socket that is listened on (see platform.ts).
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import type { QueueLock } from '../platform.ts';

const listen = (address: string): Promise<Server> =>
  new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', fail);
    server.listen(address, () => done(server.unref()));
  });

/** Whether a process listens there. */
const answers = (address: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(address, () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

/** Rejects when another process has the lock. Closing the server gives it back. */
export const takeQueueLock = async ({ type, address }: QueueLock): Promise<Server> => {
  try {
    return await listen(address);
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (type === 'name' || (await answers(address)))
      throw new Error('another mon-agent is using it', { cause: error });
    // Left by an agent that was killed.
    rmSync(address, { force: true });
    return await listen(address);
  }
};
