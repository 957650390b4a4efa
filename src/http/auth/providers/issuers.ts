// OIDC logins with the authorization code flow and PKCE. The state between the two requests travels encrypted
// through the browser, so that any backend of a cluster can complete the login. A cookie binds it to the browser
// that started it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as oidc from 'openid-client';
import type { Resources } from '../../../actors/resources/resources.ts';
import type { AuthProvider, OidcProvider } from '../../../model/access/auth-provider.ts';
import { runtimeAuthorities, type TrustedAuthorities } from '../../../model/access/trusted-authorities.ts';
import { MonError } from '../../../model/errors.ts';
import type { Log } from '../../log.ts';
import { providersSegment } from './directories.ts';
import type { Identity } from './identity.ts';
import { claimsOf, createDiscovery, identityFrom, isRefusal } from './issuer.ts';
import { issuerLoginSeconds } from './limits.ts';
import { createSeal } from './sealing.ts';

export const callbackPath = '/api/enterprise/authentication/v2/oidc/callback';

interface Beginning {
  /** The URL that the browser is redirected to. */
  readonly url: string;
  /** The value the browser must return as a cookie. */
  readonly browser: string;
}

export interface Issuers {
  /** The names of the issuers available for login, in order. */
  names(): readonly string[];
  /** The redirect target of a login state; empty if the state is invalid or expired. */
  destination(state: string): Promise<string>;
  /** An empty `name` selects the first issuer. Rejects with `notFound` or `unavailable`. */
  begin(asked: {
    readonly name: string;
    readonly origin: string;
    readonly callback: string;
  }): Promise<Beginning>;
  /** `url` is the full callback URL. Rejects with `invalid`, `unauthenticated` or `unavailable`. */
  finish(url: URL, browser: string | undefined): Promise<Identity>;
  /** Looks up a user again; null if the issuer no longer accepts the user. Rejects with `unavailable`. */
  lookUp(identity: Identity): Promise<Identity | null>;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const isOidc = (provider: AuthProvider | undefined): provider is OidcProvider => provider?.type === 'oidc';

const stale = (): MonError =>
  new MonError('invalid', 'this login was not started in this browser, or it expired; start again');

export const createIssuers = (options: {
  readonly table: Resources;
  readonly secret: Uint8Array;
  readonly log: Log;
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
  readonly authorities?: TrustedAuthorities;
}): Issuers => {
  const { table, secret, log, wallMs, monotonicMs } = options;
  const states = createSeal(secret, 'oidc state', wallMs);
  const offline = createSeal(secret, 'oidc offline token', wallMs);
  const discovery = createDiscovery(monotonicMs, options.authorities ?? runtimeAuthorities);

  const known = (): readonly OidcProvider[] =>
    table
      .list(providersSegment)
      .items.map((kept) => kept as unknown as AuthProvider)
      .filter(isOidc);

  const find = (name: string): OidcProvider => {
    const found = known().find(({ metadata }) => name === '' || metadata.name === name);
    if (found === undefined) throw new MonError('notFound', 'there is no OIDC provider of that name');
    return found;
  };

  /** Distinguishes a rejection by the issuer from an outage, which can be retried. */
  const ask = async <T>(
    provider: OidcProvider,
    work: (issuer: oidc.Configuration) => Promise<T>,
  ): Promise<T> => {
    try {
      return await work(await discovery(provider));
    } catch (error) {
      if (error instanceof MonError) throw error;
      // The message only: error causes contain responses of the issuer, including tokens.
      const { message: why, code } = error as Error & { readonly code?: string };
      log.warn({ provider: provider.metadata.name, why, code }, 'OIDC request failed');
      if (isRefusal(error)) throw new MonError('unauthenticated', 'the issuer rejected the login');
      throw new MonError(
        'unavailable',
        'the issuer cannot be reached or sent an invalid response; try again in a moment',
      );
    }
  };

  const withOffline = async (
    identity: Identity,
    tokens: oidc.TokenEndpointResponse,
    before?: string,
  ): Promise<Identity> => {
    const token = tokens.refresh_token;
    const kept = token === undefined ? before : await offline.close({ token }, null);
    return kept === undefined ? identity : { ...identity, offline: kept };
  };

  return {
    names: () => known().map(({ metadata }) => metadata.name),
    destination: async (state) => String((await states.open(state))?.callback ?? ''),
    async begin({ name, origin, callback }) {
      const provider = find(name);
      const { spec } = provider;
      const [verifier, nonce, browser] = [
        oidc.randomPKCECodeVerifier(),
        oidc.randomNonce(),
        randomBytes(16).toString('base64url'),
      ];
      const claims = {
        verifier,
        nonce,
        callback,
        provider: provider.metadata.name,
        browser: digest(browser),
      };
      const redirect = spec.redirect_uri || origin + callbackPath;
      const scopes = ['openid', ...(spec.additional_scopes ?? [])];
      if (!spec.disable_offline_access) scopes.push('offline_access');
      const url = await ask(provider, async (issuer) =>
        oidc.buildAuthorizationUrl(issuer, {
          redirect_uri: redirect,
          scope: [...new Set(scopes)].join(' '),
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          nonce,
          state: await states.close({ ...claims, redirect }, issuerLoginSeconds),
        }),
      );
      return { url: url.href, browser };
    },
    async finish(url, browser) {
      const state = url.searchParams.get('state') ?? '';
      const begun = await states.open(state);
      if (begun === null || browser === undefined || !isSame(digest(browser), String(begun.browser)))
        throw stale();
      const provider = find(String(begun.provider));
      const current = new URL(String(begun.redirect));
      current.search = url.search;
      const identity = await ask(provider, async (issuer) => {
        const tokens = await oidc.authorizationCodeGrant(issuer, current, {
          pkceCodeVerifier: String(begun.verifier),
          expectedNonce: String(begun.nonce),
          expectedState: state,
          idTokenExpected: true,
        });
        const { subject, claims } = await claimsOf(provider, issuer, tokens, undefined);
        return withOffline(identityFrom(provider, subject, claims), tokens);
      });
      log.info({ provider: provider.metadata.name, user: identity.username }, 'OIDC login accepted');
      return identity;
    },
    async lookUp(identity) {
      const kept = table.get(providersSegment, '', identity.provider.id) as unknown as
        | AuthProvider
        | undefined;
      if (!isOidc(kept)) return null;
      // Without offline access the issuer cannot be queried; the login ends when it expires.
      if (identity.offline === undefined) return identity;
      const opened = await offline.open(identity.offline);
      if (opened === null) return null;
      try {
        return await ask(kept, async (issuer) => {
          const tokens = await oidc.refreshTokenGrant(issuer, String(opened.token));
          const { subject, claims } = await claimsOf(kept, issuer, tokens, identity.provider.userId);
          const now = identityFrom(kept, subject, claims);
          return now.username === identity.username ? withOffline(now, tokens, identity.offline) : null;
        });
      } catch (error) {
        if (error instanceof MonError && error.kind === 'unauthenticated') return null;
        throw error;
      }
    },
  };
};
