// The authenticator: resolves an Authorization header to a principal, or rejects it. Runs for every request to a
// known route under /api.
import type { Resources } from '../../actors/resources/resources.ts';
import { MonError } from '../../model/errors.ts';
import { maxNameCharacters } from '../../model/limits.ts';
import { agentsGroup } from '../../model/resource/seeds.ts';
import { type Credentials, findUser, groupsOf, passwordTagOf, type StoredUser } from './credentials.ts';
import { currentPrincipal } from './current-principal.ts';
import type { Login } from './login-store.ts';
import { isAgent, type Principal } from './principal.ts';
import { providersSegment } from './providers/directories.ts';
import type { Identity } from './providers/identity.ts';
import type { Sessions } from './sessions.ts';
import { newTokenId, type TokenPair, type Tokens } from './tokens.ts';

export interface Authenticator {
  /** `Bearer <token>` or `Key <api key>`. Rejects with `unauthenticated`, or `permissionDenied` for agents. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  /** The same principal with its current groups; null if its login, key or user may no longer use the API. */
  current(principal: Principal): Principal | null;
  /** Rejects with `unauthenticated`, `permissionDenied` (agents), `tooManyRequests` or `unavailable`. */
  login(username: string, password: string, address: string): Promise<TokenPair>;
  /** A refresh token works once. Rejects with `unauthenticated`, or with `invalid` if it was used before. */
  refresh(accessToken: string, refreshToken: string): Promise<TokenPair>;
  /**
   * Creates a login for a user authenticated by an OIDC issuer. Rejects with `unauthenticated` if a local user has
   * the same name.
   */
  welcome(identity: Identity): Promise<TokenPair>;
  logout(accessToken: string, refreshToken: string): Promise<void>;
  /** Call after a password change: ends all logins made with the old password except the one that changed it. */
  passwordChanged(username: string, by: Principal): Promise<void>;
  readonly credentials: Credentials;
}

export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Undefined unless the header is Basic with a user and a password. */
export const parseBasic = (authorization: string | undefined): BasicCredentials | undefined => {
  if (authorization === undefined || !authorization.startsWith('Basic ')) return undefined;
  const text = Buffer.from(authorization.slice(6), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  // Longer names do not exist, and the login throttle stores names.
  if (colon < 1 || colon > maxNameCharacters) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
};

export const parseBearer = (authorization: string | undefined): string | undefined =>
  authorization?.startsWith('Bearer ') ? authorization.slice(7).trim() : undefined;

const invalidCredentials = (): MonError => new MonError('unauthenticated', 'invalid credentials');

/** Agents use their sessions; the API is not available to them. */
export const refuseAgents = (principal: Pick<Principal, 'groups'>): void => {
  if (!isAgent(principal)) return;
  throw new MonError(
    'permissionDenied',
    `users of the group ${agentsGroup} are for agents: they connect to the agent listener and cannot use the API`,
  );
};

const providerOf = (identity: Identity | undefined) =>
  identity === undefined ? {} : { provider: identity.provider };

export const createAuthenticator = (options: {
  readonly table: Resources;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  /** Asks a provider again about a user it authenticated; null if the user no longer exists. */
  readonly lookUp?: (identity: Identity) => Promise<Identity | null>;
}): Authenticator => {
  const { table, credentials, tokens, sessions, lookUp } = options;

  const activeUser = (username: string): StoredUser | null => {
    const user = findUser(table, username);
    return user === undefined || user.disabled === true ? null : user;
  };

  /** The groups of an external user, if the provider is still trusted and no local user has the name. */
  const vouched = (identity: Identity): readonly string[] | null => {
    const isTrusted = table.get(providersSegment, '', identity.provider.id) !== undefined;
    return isTrusted && findUser(table, identity.username) === undefined ? identity.groups : null;
  };

  const groupsOfLogin = (login: Login): readonly string[] | null => {
    if (login.identity !== undefined) return vouched(login.identity);
    const user = activeUser(login.user);
    return user === null || passwordTagOf(user) !== login.passwordTag ? null : groupsOf(user);
  };

  const open = async (
    { username, groups, passwordTag }: Pick<Principal, 'username' | 'groups' | 'passwordTag'>,
    identity?: Identity,
  ): Promise<TokenPair> => {
    const [sessionId, refreshId] = [newTokenId(), newTokenId()];
    await sessions.begin({
      user: username,
      sessionId,
      refreshId,
      ...(passwordTag === undefined ? {} : { passwordTag }),
      ...(identity === undefined ? {} : { identity }),
    });
    return tokens.issue({ username, groups, sessionId, refreshId, ...providerOf(identity) });
  };

  /** The current identity, from the resource table or the provider. */
  const renewed = async (
    login: Login,
  ): Promise<{ readonly groups: readonly string[]; readonly identity?: Identity } | null> => {
    const groups = groupsOfLogin(login);
    if (groups === null) return null;
    if (login.identity === undefined) return { groups };
    const asked = lookUp === undefined ? login.identity : await lookUp(login.identity);
    return asked === null ? null : { groups: asked.groups, identity: asked };
  };

  const byLogin = (username: string, sessionId: string): Principal | null => {
    // When a login ends, by logout or token reuse, its access tokens end too.
    const login = sessions.find(username, sessionId);
    const groups = login === undefined ? null : groupsOfLogin(login);
    return groups === null ? null : { username, groups, via: 'token', sessionId };
  };

  const byKey = (key: string): Principal | null => {
    const found = table.get('apikeys', '', key);
    const user = typeof found?.username === 'string' ? activeUser(found.username) : null;
    return user === null ? null : { username: user.username, groups: user.groups ?? [], via: 'apiKey', key };
  };

  const byHeader = async (authorization: string | undefined): Promise<Principal | null> => {
    const token = parseBearer(authorization);
    if (token !== undefined) {
      const { username, sessionId } = await tokens.readAccess(token);
      await sessions.lookUp(username, sessionId);
      return byLogin(username, sessionId);
    }
    if (authorization?.startsWith('Key ')) return byKey(authorization.slice(4).trim());
    throw new MonError('unauthenticated', 'bad credentials');
  };

  const pair = async (accessToken: string, refreshToken: string) => {
    const access = await tokens.readAccess(accessToken, 'accepted');
    const refresh = await tokens.readRefresh(refreshToken);
    if (access.username !== refresh.username || access.sessionId !== refresh.sessionId)
      throw invalidCredentials();
    return refresh;
  };

  return {
    credentials,
    async authenticate(authorization) {
      const principal = await byHeader(authorization);
      if (principal === null) throw invalidCredentials();
      refuseAgents(principal);
      return principal;
    },
    current(principal) {
      const { username, sessionId, key } = principal;
      const now =
        sessionId !== undefined
          ? byLogin(username, sessionId)
          : key !== undefined
            ? byKey(key)
            : currentPrincipal(table, principal);
      return now === null || isAgent(now) ? null : now;
    },
    async login(username, password, address) {
      const { principal, identity } = await credentials.login(username, password, address);
      refuseAgents(principal);
      return open(principal, identity);
    },
    async welcome(identity) {
      if (vouched(identity) === null) throw invalidCredentials();
      return open(identity, identity);
    },
    async refresh(accessToken, refreshToken) {
      const used = await pair(accessToken, refreshToken);
      const { username, sessionId } = used;
      const login = await sessions.lookUp(username, sessionId);
      const now = login === undefined ? null : await renewed(login);
      if (now === null) {
        await sessions.end(username, sessionId);
        const why =
          login === undefined ? 'it was ended, or not used for too long' : 'the user may not log in any more';
        throw new MonError('unauthenticated', `the login is over: ${why}`);
      }
      refuseAgents(now);
      const refreshId = newTokenId();
      const outcome = await sessions.rotate(username, sessionId, used.id, refreshId, now.identity);
      if (outcome === 'reused') throw new MonError('invalid', 'invalid access token');
      if (outcome === 'unknown') throw invalidCredentials();
      const { groups } = now;
      return tokens.issue({ username, groups, sessionId, refreshId, ...providerOf(now.identity) });
    },
    async passwordChanged(username, by) {
      const user = findUser(table, username);
      if (user === undefined) return;
      const sessionId = by.username === username ? by.sessionId : undefined;
      await sessions.endOthers(username, { sessionId, passwordTag: passwordTagOf(user) });
    },
    async logout(accessToken, refreshToken) {
      const { username, sessionId } = await pair(accessToken, refreshToken);
      if (!(await sessions.end(username, sessionId))) throw invalidCredentials();
    },
  };
};
