// Access and refresh tokens: JWTs that identify a user for a limited time. HS256 only.
import { createHash, randomBytes } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { MonError } from '../../model/errors.ts';
import {
  accessTokenSeconds,
  maxRemembered,
  maxRememberedBytes,
  maxTokenCharacters,
  refreshTokenSeconds,
} from '../limits.ts';
import type { Identity } from './providers/identity.ts';

const algorithm = 'HS256';

interface AccessClaims {
  readonly username: string;
  readonly groups: readonly string[];
  readonly sessionId: string;
}

interface RefreshClaims {
  readonly username: string;
  readonly sessionId: string;
  readonly id: string;
}

export interface TokenPair {
  readonly access_token: string;
  /** Expiry of the access token in Unix seconds. */
  readonly expires_at: number;
  readonly refresh_token: string;
}

interface IssueClaims extends AccessClaims {
  readonly refreshId: string;
  /** The identity provider; absent for local users. */
  readonly provider?: Identity['provider'];
}

export interface Tokens {
  issue(claims: IssueClaims): Promise<TokenPair>;
  /**
   * Rejects with `unauthenticated`. `expired: 'accepted'` is for refresh requests; the signature must still be
   * valid.
   */
  readAccess(token: string, expired?: 'accepted'): Promise<AccessClaims>;
  readRefresh(token: string): Promise<RefreshClaims>;
}

/** 32 random hex digits. */
export const newTokenId = (): string => randomBytes(16).toString('hex');

const invalid = (cause?: unknown): MonError =>
  new MonError('unauthenticated', 'invalid credentials', cause instanceof Error ? { cause } : {});

/** Token lifetimes. */
export interface Lifetimes {
  readonly accessSeconds: number;
  /** A login that is unused for this long expires. */
  readonly refreshSeconds: number;
}

export const defaultLifetimes: Lifetimes = {
  accessSeconds: accessTokenSeconds,
  refreshSeconds: refreshTokenSeconds,
};

/** `issuer` is the name in the tokens; never taken from a request. */
export const createTokens = (
  secret: Uint8Array,
  wallMs: () => number,
  { issuer, lifetimes = defaultLifetimes }: { readonly issuer: string; readonly lifetimes?: Lifetimes },
): Tokens => {
  const { accessSeconds, refreshSeconds } = lifetimes;
  const nowSeconds = (): number => Math.floor(wallMs() / 1_000);
  /** Keyed by digest, so that no tokens are kept in memory. */
  const read = new LRUCache<
    string,
    { readonly claims: AccessClaims; readonly expiresAt: number; readonly bytes: number }
  >({
    max: maxRemembered,
    maxSize: maxRememberedBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });

  const verify = async (token: string, expired?: 'accepted') => {
    // Checked first: tokens come from untrusted clients and may have any size.
    if (token.length > maxTokenCharacters) throw invalid();
    const atSeconds = expired === undefined ? nowSeconds() : 0;
    try {
      const { payload } = await jwtVerify(token, secret, {
        algorithms: [algorithm],
        currentDate: new Date(atSeconds * 1_000),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw invalid(error);
      throw error;
    }
  };

  const sign = (claims: Record<string, unknown>, username: string, id: string, lifetime: number) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(username)
      .setJti(id)
      .setExpirationTime(nowSeconds() + lifetime);

  return {
    async issue({ username, groups, sessionId, refreshId, provider: from }) {
      const provider = {
        provider_id: from?.id ?? 'basic',
        provider_type: from?.type ?? '',
        user_id: from?.userId ?? username,
      };
      const access = sign(
        { groups, provider, api_key: false, session_id: sessionId },
        username,
        newTokenId(),
        accessSeconds,
      ).setIssuer(issuer);
      const refresh = sign(
        { session_id: sessionId, refresh: true },
        username,
        refreshId,
        refreshSeconds,
      ).setIssuedAt(nowSeconds());
      return {
        access_token: await access.sign(secret),
        expires_at: nowSeconds() + accessSeconds,
        refresh_token: await refresh.sign(secret),
      };
    },
    async readAccess(token, expired) {
      const digest = createHash('sha256').update(token).digest('base64');
      const known = read.get(digest);
      if (known !== undefined && (known.expiresAt > nowSeconds() || expired === 'accepted'))
        return known.claims;
      const payload = await verify(token, expired);
      const { sub, session_id: sessionId, groups, exp, refresh } = payload;
      if (typeof sub !== 'string' || typeof sessionId !== 'string' || refresh === true) throw invalid();
      const claims = { username: sub, groups: Array.isArray(groups) ? groups.map(String) : [], sessionId };
      read.set(digest, { claims, expiresAt: exp ?? 0, bytes: token.length });
      return claims;
    },
    async readRefresh(token) {
      const { sub, jti, session_id: sessionId, refresh } = await verify(token);
      if (
        typeof sub !== 'string' ||
        typeof jti !== 'string' ||
        typeof sessionId !== 'string' ||
        refresh !== true
      )
        throw invalid();
      return { username: sub, sessionId, id: jti };
    },
  };
};
