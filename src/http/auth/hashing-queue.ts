// Limits concurrent bcrypt operations, which use a core for 50 ms or more each. A few run at a time, a few wait,
// and the rest is rejected with 503, so that password guessing cannot take all CPU time.
import { compare, hash } from '@node-rs/bcrypt';
import { MonError } from '../../model/errors.ts';
import { bcryptCost, hashingWorkers, maxHashingQueue, maxPasswordBytes } from '../limits.ts';

export interface HashingQueue {
  /** Rejects with `unavailable` if the queue is full. Accepts `$2a$`, `$2b$` and `$2y$` hashes of any cost. */
  verify(password: string, hashed: string): Promise<boolean>;
  /** Rejects with `invalid` for passwords that bcrypt would truncate. */
  hash(password: string): Promise<string>;
  readonly waiting: number;
}

export const createHashingQueue = (workers = hashingWorkers, capacity = maxHashingQueue): HashingQueue => {
  const waiting: (() => void)[] = [];
  let running = 0;

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= workers) {
      if (waiting.length >= capacity)
        throw new MonError('unavailable', 'too many logins at once; try again in a moment');
      // A finished task passes its slot on, so `running` does not change.
      await new Promise<void>((go) => waiting.push(go));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };

  return {
    verify: (password, hashed) => run(() => compare(password, hashed)),
    hash: (password) => {
      if (Buffer.byteLength(password) > maxPasswordBytes)
        return Promise.reject(
          new MonError(
            'invalid',
            `the password is longer than ${maxPasswordBytes} bytes; choose a shorter one`,
          ),
        );
      return run(() => hash(password, { cost: bcryptCost, rejectLongPasswords: true }));
    },
    get waiting() {
      return waiting.length;
    },
  };
};
