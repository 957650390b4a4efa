// Login sessions and their current refresh tokens. A refresh token works once; a second use means that it was
// stolen or copied, and ends the login. Stored, so that logins survive a restart.
import {
  type Committer,
  commitDelete,
  commitPut,
  type RecordBody,
} from '../../actors/resources/committer.ts';
import { MonError } from '../../model/errors.ts';
import { maxSessionsPerUser, refreshTokenSeconds } from '../limits.ts';
import type { Identity } from './providers/identity.ts';

export interface Login {
  readonly user: string;
  readonly sessionId: string;
  /** The id of the only valid refresh token. */
  readonly refreshId: string;
  readonly expiresAtMs: number;
  /** The identity from a provider; absent for local users. */
  readonly identity?: Identity;
  /** The version of the password used to log in; a password change ends the login. Absent for provider logins. */
  readonly passwordTag?: string;
}

/** The initial data of a login. */
type NewLogin = Omit<Login, 'expiresAtMs'>;

export interface Sessions {
  load(): Promise<void>;
  find(user: string, sessionId: string): Login | undefined;
  begin(login: NewLogin): Promise<void>;
  /** `reused`: the refresh token was used before, and the login has ended. */
  rotate(
    user: string,
    sessionId: string,
    usedId: string,
    nextId: string,
    identity?: Identity,
  ): Promise<'rotated' | 'reused' | 'unknown'>;
  end(user: string, sessionId: string): Promise<boolean>;
  /** After a password change: ends all logins of the user except the one that changed it, which gets the new tag. */
  endOthers(
    user: string,
    kept: { readonly sessionId: string | undefined; readonly passwordTag: string },
  ): Promise<void>;
}

const prefix = 'login/';
const keyOf = (user: string, sessionId: string): string => `${prefix}${user}/${sessionId}`;

export const createSessions = (
  committer: Committer,
  wallMs: () => number,
  refreshSeconds = refreshTokenSeconds,
): Sessions => {
  const logins = new Map<string, Login>();
  const ofUser = new Map<string, Set<string>>();

  const remember = (login: Login): void => {
    const key = keyOf(login.user, login.sessionId);
    logins.set(key, login);
    const keys = ofUser.get(login.user) ?? new Set();
    ofUser.set(login.user, keys.add(key));
  };
  const forget = (login: Login): void => {
    const key = keyOf(login.user, login.sessionId);
    logins.delete(key);
    const keys = ofUser.get(login.user);
    keys?.delete(key);
    if (keys?.size === 0) ofUser.delete(login.user);
  };
  const bodyOf = (login: Login): RecordBody => ({
    machine: 'login',
    version: 1,
    deadlines: [],
    state: login,
  });
  const save = (login: Login): Promise<void> =>
    commitPut(committer, 'session', keyOf(login.user, login.sessionId), bodyOf(login));
  /**
   * A login does not wait for disk space, since users must be able to log in when the disk is full. It is valid in
   * memory and the writer keeps retrying; only a restart before that loses it. The writer's fault channel reports
   * the full disk.
   */
  const saveWhenRoom = async (login: Login): Promise<void> => {
    try {
      await save(login);
    } catch (error) {
      if (!(error instanceof MonError && error.kind === 'storeFull')) throw error;
    }
  };
  const drop = (login: Login): Promise<void> => {
    forget(login);
    return commitDelete(committer, 'session', keyOf(login.user, login.sessionId));
  };

  /** Removes expired logins and the oldest ones above the limit, in the background. */
  const tidy = (user: string): void => {
    const mine = [...(ofUser.get(user) ?? [])].flatMap((key) => logins.get(key) ?? []);
    const over = mine.length - maxSessionsPerUser;
    mine.forEach((login, index) => {
      if (index >= over && login.expiresAtMs > wallMs()) return;
      forget(login);
      committer.delete('session', keyOf(login.user, login.sessionId));
    });
  };

  return {
    async load() {
      for await (const { key, record } of committer.scan('session', { prefix })) {
        committer.seed('session', key, record.rev);
        const login = record.state as Login;
        if (login.expiresAtMs > wallMs()) remember(login);
        else committer.delete('session', key);
      }
    },
    find(user, sessionId) {
      const login = logins.get(keyOf(user, sessionId));
      return login && login.expiresAtMs > wallMs() ? login : undefined;
    },
    async begin(begun) {
      const login = { ...begun, expiresAtMs: wallMs() + refreshSeconds * 1_000 };
      await saveWhenRoom(login);
      remember(login);
      tidy(login.user);
    },
    async rotate(user, sessionId, usedId, nextId, identity) {
      const login = this.find(user, sessionId);
      if (login === undefined) return 'unknown';
      if (login.refreshId !== usedId) {
        await drop(login);
        return 'reused';
      }
      const next = {
        ...login,
        refreshId: nextId,
        expiresAtMs: wallMs() + refreshSeconds * 1_000,
        ...(identity === undefined ? {} : { identity }),
      };
      // Updated in memory immediately, so that a concurrent second use of the same token is detected.
      remember(next);
      try {
        await saveWhenRoom(next);
      } catch (error) {
        // The writer retries with the newest value, so give it the one that is still valid.
        remember(login);
        committer.put('session', keyOf(user, sessionId), () => bodyOf(login));
        throw error;
      }
      return 'rotated';
    },
    async end(user, sessionId) {
      const login = logins.get(keyOf(user, sessionId));
      if (login === undefined) return false;
      await drop(login);
      return true;
    },
    async endOthers(user, { sessionId, passwordTag }) {
      const mine = [...(ofUser.get(user) ?? [])].flatMap((key) => logins.get(key) ?? []);
      await Promise.all(
        mine
          .filter((login) => login.identity === undefined && login.passwordTag !== passwordTag)
          .map((login) => {
            if (login.sessionId !== sessionId) return drop(login);
            const kept = { ...login, passwordTag };
            remember(kept);
            return save(kept);
          }),
      );
    },
  };
};
