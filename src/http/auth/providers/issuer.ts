// The OIDC protocol: discovery, the authorization URL, and the claims of a user. The library verifies tokens:
// signature, audience, nonce, times.
import { isIP } from 'node:net';
import * as oidc from 'openid-client';
import type { OidcProvider } from '../../../model/access/auth-provider.ts';
import type { TrustedAuthorities } from '../../../model/access/trusted-authorities.ts';
import { MonError } from '../../../model/errors.ts';
import { groupsUnder, type Identity, isFitName, withPrefix } from './identity.ts';
import { discoveryLifetimeMs, issuerTimeoutSeconds } from './limits.ts';
import { createTrustingFetch } from './trusting-fetch.ts';

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));

const discover = async (
  { spec }: OidcProvider,
  customFetch: oidc.CustomFetch,
): Promise<oidc.Configuration> => {
  const server = new URL(spec.server);
  const options = {
    timeout: issuerTimeoutSeconds,
    [oidc.customFetch]: customFetch,
    // An issuer on this machine may be used without TLS, others may not.
    execute: [
      // By default, the library does not verify the signature of an ID token received over TLS.
      oidc.enableNonRepudiationChecks,
      ...(isLoopback(server) ? [oidc.allowInsecureRequests] : []),
    ],
  };
  const found = await oidc.discovery(
    server,
    spec.client_id,
    spec.client_secret,
    oidc.ClientSecretPost(spec.client_secret),
    options,
  );
  const methods = found.serverMetadata().token_endpoint_auth_methods_supported;
  if (methods === undefined || methods.includes('client_secret_post')) return found;
  return oidc.discovery(
    server,
    spec.client_id,
    spec.client_secret,
    oidc.ClientSecretBasic(spec.client_secret),
    options,
  );
};

/** Caches discovery documents; refreshed when the provider changes and every hour. */
export const createDiscovery = (monotonicMs: () => number, authorities: TrustedAuthorities) => {
  const customFetch = createTrustingFetch(authorities);
  const known = new WeakMap<
    object,
    { readonly atMs: number; readonly configuration: Promise<oidc.Configuration> }
  >();
  return (provider: OidcProvider): Promise<oidc.Configuration> => {
    const kept = known.get(provider);
    if (kept !== undefined && monotonicMs() - kept.atMs < discoveryLifetimeMs) return kept.configuration;
    const configuration = discover(provider, customFetch);
    known.set(provider, { atMs: monotonicMs(), configuration });
    // Failures are not cached.
    configuration.catch(() => known.delete(provider));
    return configuration;
  };
};

type Claims = Readonly<Record<string, unknown>>;

const groupsIn = (provider: OidcProvider, claims: Claims): readonly string[] => {
  const { groups_claim: name } = provider.spec;
  if (name === '') return [];
  const value = claims[name];
  if (value === undefined)
    throw new MonError(
      'unauthenticated',
      `could not find the groups claim "${name}" in the user's claims: [${Object.keys(claims).join(' ')}]`,
    );
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
};

const nameIn = (provider: OidcProvider, claims: Claims): string => {
  const claim = provider.spec.username_claim || 'sub';
  const value = claims[claim];
  if (typeof value === 'string' && isFitName(value)) return value;
  throw new MonError(
    'unauthenticated',
    `could not find the username claim "${claim}" in the user's claims: [${Object.keys(claims).join(' ')}]`,
  );
};

/** Derives the identity from the claims by the provider's rules. Throws `unauthenticated` if a claim is missing. */
export const identityFrom = (provider: OidcProvider, subject: string, claims: Claims): Identity => {
  const name = nameIn(provider, claims);
  return {
    username: withPrefix(provider.spec.username_prefix, name),
    groups: groupsUnder(provider.spec, groupsIn(provider, claims)),
    provider: { id: provider.metadata.name, type: 'oidc', userId: subject },
    loginName: name,
  };
};

/** The claims of the ID token, extended by the userinfo endpoint if a required claim is missing. */
export const claimsOf = async (
  provider: OidcProvider,
  configuration: oidc.Configuration,
  tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
  subject: string | undefined,
): Promise<{ readonly subject: string; readonly claims: Claims }> => {
  const claims: Claims = { ...tokens.claims() };
  const sub = typeof claims.sub === 'string' ? claims.sub : subject;
  if (sub === undefined) throw new MonError('unauthenticated', 'the issuer sent no ID token');
  const wanted = [provider.spec.username_claim || 'sub', provider.spec.groups_claim].filter(
    (name) => name !== '',
  );
  const isMissing = wanted.some((name) => claims[name] === undefined);
  const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (!isMissing || !canAsk) return { subject: sub, claims };
  const more = await oidc.fetchUserInfo(configuration, tokens.access_token, sub);
  return { subject: sub, claims: { ...more, ...claims } };
};

/** The issuer does not respond, or its response is not OIDC. */
const outages: readonly string[] = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'];

/** The issuer rejected the request, or its response is invalid; not an outage. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof oidc.ResponseBodyError ||
  error instanceof oidc.AuthorizationResponseError ||
  (error instanceof oidc.ClientError && error.code !== undefined && !outages.includes(error.code));
