// Credentials: is this the password of this user? Used by logins and by every agent that connects.
//
// What was once verified is remembered under an HMAC with a key of this process, over name, password and stored hash:
// ten thousand agents that come back at once cost one bcrypt, and a changed password is a different key.
// An unknown name costs as much as a wrong password: it is compared with a hash that fits nothing.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Resources } from '../../actors/resources/resources.ts';
import { MonError } from '../../model/errors.ts';
import { maxPasswordBytes, maxRemembered } from '../limits.ts';
import { type GuessThrottle, ThrottledError } from './guess-throttle.ts';
import type { HashingQueue } from './hashing-queue.ts';
import { type Principal, usersGroup } from './principal.ts';
import type { Directories } from './providers/directories.ts';
import type { Identity } from './providers/identity.ts';

export interface StoredUser {
  readonly username: string;
  readonly password_hash?: string;
  readonly password?: string;
  readonly groups?: readonly string[] | null;
  readonly disabled?: boolean;
}

export interface Verified {
  readonly principal: Principal;
  /** Where it was a directory that knew the password. */
  readonly identity?: Identity;
}

export interface Credentials {
  /** Rejects with `unauthenticated`, `tooManyRequests` (a ThrottledError) or `unavailable`. */
  verify(username: string, password: string, address: string): Promise<Principal>;
  /**
   * The same, and where the password is not one of ours, the directories are asked: they come second. One login is one
   * try, wherever it is found right or wrong. A directory's account with the name of a user of ours is refused.
   */
  login(username: string, password: string, address: string): Promise<Verified>;
}

/** bcrypt of random bytes nobody kept, cost 10. */
const decoyHash = '$2b$10$WQApVLr4XZBJJTKd7xQkLubFT4sS.Or.kMii0JbtkIdov4BhPWCl6';

export const findUser = (table: Resources, username: string): StoredUser | undefined =>
  table.get('users', '', username) as StoredUser | undefined;

/** Changes with the password: what was proved with another one no longer holds. */
export const passwordTagOf = ({ password_hash: hash, password }: StoredUser): string =>
  createHash('sha256')
    .update(hash || password || '')
    .digest('base64url')
    .slice(0, 22);

/** The groups a user acts with. */
export const groupsOf = (user: StoredUser): readonly string[] => [...(user.groups ?? []), usersGroup];

interface Asked {
  readonly username: string;
  readonly password: string;
  readonly address: string;
}

type Elsewhere = Pick<Directories, 'login'> | null;

const bad = (): MonError => new MonError('unauthenticated', 'bad credentials');

const principalOf = ({ username, groups }: Identity): Principal => ({ username, groups, via: 'password' });

export const createCredentials = (options: {
  readonly table: Resources;
  readonly hashing: HashingQueue;
  readonly throttle: GuessThrottle;
  /** Absent: only users of our own log in. */
  readonly directories?: Pick<Directories, 'login'>;
}): Credentials => {
  const { table, hashing, throttle, directories } = options;
  const processKey = randomBytes(32);
  const verified = new LRUCache<string, true>({ max: maxRemembered });
  const underWay = new Map<string, Promise<boolean | Identity>>();

  const compare = async (
    { username, password }: Asked,
    hash: string,
    elsewhere: Elsewhere,
  ): Promise<boolean | Identity> => {
    const fits = await hashing.verify(password, hash);
    return fits || (elsewhere === null ? false : ((await elsewhere.login(username, password)) ?? false));
  };

  /** Rejects with ThrottledError for a wrong password past the limit. */
  const attempt = async (
    { username, address }: Asked,
    work: () => Promise<boolean | Identity>,
  ): Promise<boolean | Identity> => {
    const entered = await throttle.enter(username, address);
    let found: boolean | Identity | undefined;
    try {
      found = await work();
    } finally {
      entered.end(found === undefined ? 'undecided' : found === false ? 'wrong' : 'right');
    }
    if (found === false && entered.retryAfterSeconds > 0) throw new ThrottledError(entered.retryAfterSeconds);
    return found;
  };

  /** Whoever asks the same while the answer is being worked out shares it. */
  const once = (key: string, work: () => Promise<boolean | Identity>): Promise<boolean | Identity> => {
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const mine = work().finally(() => underWay.delete(key));
    underWay.set(key, mine);
    return mine;
  };

  const check = async (asked: Asked, elsewhere: Elsewhere): Promise<Verified> => {
    const { username, password } = asked;
    const user = findUser(table, username);
    const hash = user?.password_hash || user?.password || decoyHash;
    const key = createHmac('sha256', processKey)
      .update(JSON.stringify([username, hash, password]))
      .digest('base64');
    if (!verified.get(key)) {
      const others = user?.disabled === true ? null : elsewhere;
      const what = others === null ? key : `${key} elsewhere`;
      // The turns of one address are its own; the comparison is shared by all.
      const found = await once(`${what} from ${asked.address}`, () =>
        attempt(asked, () => once(what, () => compare(asked, hash, others))),
      );
      if (typeof found === 'object') return { principal: principalOf(found), identity: found };
      if (!found || user === undefined || Buffer.byteLength(password) > maxPasswordBytes) throw bad();
      verified.set(key, true);
    }
    // Asked again: the user may have been disabled while bcrypt ran.
    const current = findUser(table, username);
    if (current === undefined || current.disabled === true) throw bad();
    return {
      principal: {
        username,
        groups: groupsOf(current),
        via: 'password',
        passwordTag: passwordTagOf(user ?? current),
      },
    };
  };

  return {
    verify: (username, password, address) =>
      check({ username, password, address }, null).then(({ principal }) => principal),
    login: (username, password, address) => check({ username, password, address }, directories ?? null),
  };
};
