// Verifies user passwords, for logins and for every agent connection.
//
// Successful verifications are cached under an HMAC of name, password and stored hash, with a key of this process:
// ten thousand reconnecting agents cost one bcrypt, and a changed password has a different cache key. An unknown
// name takes as long as a wrong password: it is compared with a hash that never matches.
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

interface Verified {
  readonly principal: Principal;
  /** Set if a directory verified the password. */
  readonly identity?: Identity;
}

export interface Credentials {
  /** Rejects with `unauthenticated`, `tooManyRequests` (a ThrottledError) or `unavailable`. */
  verify(username: string, password: string, address: string): Promise<Principal>;
  /**
   * The same, but if the password does not match a local user, the directories are queried. A login counts as one
   * attempt regardless of where it is verified. Rejects a directory account with the name of a local user.
   */
  login(username: string, password: string, address: string): Promise<Verified>;
}

/** A bcrypt hash (cost 10) of discarded random bytes. */
const decoyHash = '$2b$10$WQApVLr4XZBJJTKd7xQkLubFT4sS.Or.kMii0JbtkIdov4BhPWCl6';

export const findUser = (table: Resources, username: string): StoredUser | undefined =>
  table.get('users', '', username) as StoredUser | undefined;

/** Stored users are frozen, and every request of a login asks for the tag of its user. */
const passwordTags = new WeakMap<StoredUser, string>();

/** Changes with the password, which invalidates proofs made with another password. */
export const passwordTagOf = (user: StoredUser): string => {
  const known = passwordTags.get(user);
  if (known !== undefined) return known;
  const tag = createHash('sha256')
    .update(user.password_hash || user.password || '')
    .digest('base64url')
    .slice(0, 22);
  if (Object.isFrozen(user)) passwordTags.set(user, tag);
  return tag;
};

/** The effective groups of a user. */
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
  /** Default: only local users can log in. */
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

  /** Rejects with ThrottledError for a wrong password above the limit. */
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

  /** Concurrent identical requests share one computation. */
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
      // Each address has its own throttle; the password comparison is shared.
      const found = await once(`${what} from ${asked.address}`, () =>
        attempt(asked, () => once(what, () => compare(asked, hash, others))),
      );
      if (typeof found === 'object') return { principal: principalOf(found), identity: found };
      if (!found || user === undefined || Buffer.byteLength(password) > maxPasswordBytes) throw bad();
      verified.set(key, true);
    }
    // Check again: the user may have been disabled while bcrypt ran.
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
