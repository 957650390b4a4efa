// The authenticator: turns an Authorization header into a principal, or says why not (API sheet 2.2 and 3).
// Every request to a known route under /api passes here first.
import type { ResourceTable } from '../../actors/resources/resource-table.ts';
import { MonError } from '../../model/errors.ts';
import { type Credentials, findUser, groupsOf } from './credentials.ts';
import type { Principal } from './principal.ts';
import { providersSegment } from './providers/directories.ts';
import type { Identity } from './providers/identity.ts';
import type { Sessions } from './sessions.ts';
import { newTokenId, type TokenPair, type Tokens } from './tokens.ts';

export interface Authenticator {
  /** `Bearer <token>` or `Key <api key>`. Rejects with `unauthenticated`. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  /** Rejects with `unauthenticated`, `tooManyRequests` or `unavailable`. */
  login(username: string, password: string, address: string, issuer: string): Promise<TokenPair>;
  /** A refresh token works once. Rejects with `unauthenticated`, or `invalid` when it came a second time. */
  refresh(accessToken: string, refreshToken: string, issuer: string): Promise<TokenPair>;
  /** Opens a login for somebody an issuer vouched for. Rejects with `unauthenticated` when they were disabled here. */
  welcome(identity: Identity, issuer: string): Promise<TokenPair>;
  logout(accessToken: string, refreshToken: string): Promise<void>;
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
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
};

export const parseBearer = (authorization: string | undefined): string | undefined =>
  authorization?.startsWith('Bearer ') ? authorization.slice(7).trim() : undefined;

const invalidCredentials = (): MonError => new MonError('unauthenticated', 'invalid credentials');

const providerOf = (identity: Identity | undefined) =>
  identity === undefined ? {} : { provider: identity.provider };

export const createAuthenticator = (options: {
  readonly table: ResourceTable;
  readonly credentials: Credentials;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  /** Asks a provider again about somebody it vouched for; null when they are gone. */
  readonly lookUp?: (identity: Identity) => Promise<Identity | null>;
}): Authenticator => {
  const { table, credentials, tokens, sessions, lookUp } = options;

  const activeUser = (username: string) => {
    const user = findUser(table, username);
    if (user === undefined || user.disabled === true) throw invalidCredentials();
    return user;
  };

  /** The groups of somebody from elsewhere, as long as their provider is still trusted and they are not shut out. */
  const vouched = (identity: Identity): readonly string[] => {
    const isTrusted = table.get(providersSegment, '', identity.provider.id) !== undefined;
    const isShutOut = findUser(table, identity.username)?.disabled === true;
    if (!isTrusted || isShutOut) throw invalidCredentials();
    return identity.groups;
  };

  const open = async (
    { username, groups }: Pick<Principal, 'username' | 'groups'>,
    issuer: string,
    identity?: Identity,
  ): Promise<TokenPair> => {
    const [sessionId, refreshId] = [newTokenId(), newTokenId()];
    await sessions.begin(username, sessionId, refreshId, identity);
    return tokens.issue({ username, groups, sessionId, refreshId, issuer, ...providerOf(identity) });
  };

  /** Who they are now: asked of the table, or of the provider. */
  const current = async (username: string, identity: Identity | undefined) => {
    if (identity === undefined) return { groups: groupsOf(activeUser(username)) };
    vouched(identity);
    const asked = lookUp === undefined ? identity : await lookUp(identity);
    return asked === null ? null : { groups: asked.groups, identity: asked };
  };

  const byToken = async (token: string): Promise<Principal> => {
    const { username, sessionId } = await tokens.readAccess(token);
    // A login that was ended, by its owner or after a reuse, ends its access tokens too.
    const login = sessions.find(username, sessionId);
    if (login === undefined) throw invalidCredentials();
    const groups = login.identity === undefined ? groupsOf(activeUser(username)) : vouched(login.identity);
    return { username, groups, via: 'token' };
  };

  const byKey = (key: string): Principal => {
    const found = table.get('apikeys', '', key);
    if (found === undefined || typeof found.username !== 'string') throw invalidCredentials();
    const user = activeUser(found.username);
    return { username: user.username, groups: user.groups ?? [], via: 'apiKey' };
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
      const token = parseBearer(authorization);
      if (token !== undefined) return byToken(token);
      if (authorization?.startsWith('Key ')) return byKey(authorization.slice(4).trim());
      throw new MonError('unauthenticated', 'bad credentials');
    },
    async login(username, password, address, issuer) {
      const { principal, identity } = await credentials.login(username, password, address);
      return open(principal, issuer, identity);
    },
    async welcome(identity, issuer) {
      vouched(identity);
      return open(identity, issuer, identity);
    },
    async refresh(accessToken, refreshToken, issuer) {
      const used = await pair(accessToken, refreshToken);
      const { username, sessionId } = used;
      const login = sessions.find(username, sessionId);
      const now = await current(username, login?.identity);
      if (now === null) {
        await sessions.end(username, sessionId);
        throw invalidCredentials();
      }
      const refreshId = newTokenId();
      const outcome = await sessions.rotate(username, sessionId, used.id, refreshId, now.identity);
      if (outcome === 'reused') throw new MonError('invalid', 'invalid access token');
      if (outcome === 'unknown') throw invalidCredentials();
      const { groups } = now;
      return tokens.issue({ username, groups, sessionId, refreshId, issuer, ...providerOf(now.identity) });
    },
    async logout(accessToken, refreshToken) {
      const { username, sessionId } = await pair(accessToken, refreshToken);
      if (!(await sessions.end(username, sessionId))) throw invalidCredentials();
    },
  };
};
