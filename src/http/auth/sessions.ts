// Login sessions and their current refresh tokens. A refresh token works once; a second use means that it was
// stolen or copied, and ends the login. Stored, so that logins survive a restart. In a cluster a login is valid on every
// backend: what another one changed is read again, and who uses a refresh token first is decided by the store.
import { maxSessionsPerUser, refreshTokenSeconds } from '../limits.ts';

import { type Login, type LoginRecords, LoginStore } from './login-store.ts';
import type { Identity } from './providers/identity.ts';

/** The initial data of a login. */
type NewLogin = Omit<Login, 'expiresAtMs'>;

export interface Sessions {
  load(): Promise<void>;
  find(user: string, sessionId: string): Login | undefined;
  /** The same in a cluster, where another backend may just have created it: reads the store if it is not known here. */
  lookUp(user: string, sessionId: string): Promise<Login | undefined>;
  /** Reads what another backend wrote, by keys of records. Rejects when the store is away. */
  readAgain(keys: readonly string[]): Promise<void>;
  readAllAgain(): Promise<void>;
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

export const createSessions = (
  records: LoginRecords,
  wallMs: () => number,
  refreshSeconds = refreshTokenSeconds,
): Sessions => {
  const logins = new LoginStore(records);
  const expiry = (): number => wallMs() + refreshSeconds * 1_000;

  /** Removes expired logins and the oldest ones above the limit, in the background. */
  const tidy = (user: string): void => {
    const mine = logins.of(user);
    const over = mine.length - maxSessionsPerUser;
    mine.forEach((login, index) => {
      if (index < over || login.expiresAtMs <= wallMs()) dropLater(login);
    });
  };
  /** While the store is away the next login of the user does it again; the writer reports why. */
  const dropLater = (login: Login): void => void logins.drop(login).catch(() => {});
  const find = (user: string, sessionId: string): Login | undefined => {
    const login = logins.get(user, sessionId);
    return login && login.expiresAtMs > wallMs() ? login : undefined;
  };
  const rotate = async (
    login: Login | undefined,
    usedId: string,
    next: Pick<Login, 'refreshId' | 'identity'>,
  ): Promise<'rotated' | 'reused' | 'unknown' | 'changed'> => {
    if (login === undefined) return 'unknown';
    if (login.refreshId !== usedId) {
      await logins.drop(login);
      return 'reused';
    }
    const rotated = { ...login, ...next, expiresAtMs: expiry() };
    // Updated in memory immediately, so that a concurrent second use of the same token is detected.
    logins.remember(rotated);
    try {
      return (await logins.save(rotated)) ? 'rotated' : 'changed';
    } catch (error) {
      logins.takeBack(login);
      throw error;
    }
  };

  return {
    async load() {
      for await (const login of logins.scan())
        if (login.expiresAtMs > wallMs()) logins.remember(login);
        else dropLater(login);
    },
    find,
    async lookUp(user, sessionId) {
      const known = find(user, sessionId);
      if (known !== undefined || !logins.isShared) return known;
      return logins.inTurn(user, sessionId, async () => find(user, sessionId));
    },
    readAgain: (keys) => logins.readAgain(keys),
    readAllAgain: () => logins.readAllAgain(),
    async begin(begun) {
      const login = { ...begun, expiresAtMs: expiry() };
      await logins.save(login);
      logins.remember(login);
      tidy(login.user);
    },
    rotate(user, sessionId, usedId, nextId, identity) {
      const next = { refreshId: nextId, ...(identity === undefined ? {} : { identity }) };
      return logins.inTurn(user, sessionId, async () => {
        for (;;) {
          const outcome = await rotate(find(user, sessionId), usedId, next);
          if (outcome !== 'changed') return outcome;
          // Another backend was faster: either the token was used there, or the login is over.
          await logins.refresh(user, sessionId);
        }
      });
    },
    end: (user, sessionId) =>
      logins.inTurn(user, sessionId, async () => {
        const login = logins.get(user, sessionId);
        if (login === undefined) return false;
        await logins.drop(login);
        return true;
      }),
    async endOthers(user, kept) {
      const isOther = (login: Login): boolean =>
        login.identity === undefined && login.passwordTag !== kept.passwordTag;
      const end = async ({ sessionId }: Login): Promise<void> => {
        const login = logins.get(user, sessionId);
        if (login === undefined) return;
        if (sessionId !== kept.sessionId) return logins.drop(login);
        const tagged = { ...login, passwordTag: kept.passwordTag };
        logins.remember(tagged);
        await logins.save(tagged);
      };
      await Promise.all(
        logins
          .of(user)
          .filter(isOther)
          .map((login) => logins.inTurn(user, login.sessionId, () => end(login))),
      );
    },
  };
};
