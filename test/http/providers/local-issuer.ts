// An OIDC issuer for tests: logs every visitor in as the user given by the test. It checks what an issuer must
// check (client, redirect, PKCE, one use of each code), and returns invalid data on request.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Pair } from '../certificates.ts';

export interface LocalIssuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claims of the user. */
  claims: Record<string, unknown>;
  /** Changes an ID token before it is signed. */
  lie: (claims: Record<string, unknown>) => Record<string, unknown>;
  signWithAnotherKey: boolean;
  withoutIdToken: boolean;
  /** Refresh tokens work no more. */
  revoked: boolean;
  /** How far its clock is ahead, in its `Date` headers. */
  clockAheadMs: number;
  readonly seen: string[];
  stop(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirect: string;
}

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
};

/** With `pair` it uses HTTPS. */
export const startIssuer = async (
  t: TestContext,
  pair?: Pick<Pair, 'cert' | 'key'>,
): Promise<LocalIssuer> => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, Grant>();
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server = pair === undefined ? createServer(listener) : createTlsServer(pair, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http${pair === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let refresh = randomUUID();

  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  t.after(stop);

  const issuer: LocalIssuer = {
    url,
    clientId: 'mon',
    clientSecret: 'client-secret-canary',
    claims: { sub: 'subject-1', preferred_username: 'ada', groups: ['ops', 'dev'] },
    lie: (claims) => claims,
    signWithAnotherKey: false,
    withoutIdToken: false,
    revoked: false,
    clockAheadMs: 0,
    seen: [],
    stop,
  };

  const send = (response: ServerResponse, status: number, body: object): void => {
    const date = new Date(Date.now() + issuer.clockAheadMs).toUTCString();
    response.writeHead(status, { 'content-type': 'application/json', date });
    response.end(JSON.stringify(body));
  };
  const tokens = async (nonce: string | undefined) => {
    const now = Math.floor(Date.now() / 1_000);
    const honest = {
      iss: url,
      aud: issuer.clientId,
      iat: now,
      exp: now + 300,
      ...(nonce === undefined ? {} : { nonce }),
      ...issuer.claims,
    };
    refresh = randomUUID();
    const key = issuer.signWithAnotherKey ? stranger.privateKey : privateKey;
    const signed = new SignJWT(issuer.lie(honest)).setProtectedHeader({ alg: 'RS256', kid: 'one' });
    return {
      access_token: 'access-at-the-issuer',
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: refresh,
      ...(issuer.withoutIdToken ? {} : { id_token: await signed.sign(key) }),
    };
  };
  const exchange = async (form: URLSearchParams, response: ServerResponse): Promise<void> => {
    const isClient =
      form.get('client_id') === issuer.clientId && form.get('client_secret') === issuer.clientSecret;
    if (!isClient) return send(response, 401, { error: 'invalid_client' });
    if (form.get('grant_type') === 'refresh_token') {
      const good = !issuer.revoked && form.get('refresh_token') === refresh;
      return good
        ? send(response, 200, await tokens(undefined))
        : send(response, 400, { error: 'invalid_grant' });
    }
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirect !== form.get('redirect_uri'))
      return send(response, 400, { error: 'invalid_grant' });
    return send(response, 200, await tokens(grant.nonce));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = new URL(request.url ?? '/', url);
    issuer.seen.push(`${request.method} ${asked.pathname}`);
    switch (asked.pathname) {
      case '/.well-known/openid-configuration':
        return send(response, 200, {
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          userinfo_endpoint: `${url}/userinfo`,
          jwks_uri: `${url}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        });
      case '/jwks':
        return send(response, 200, { keys: [jwk] });
      case '/authorize': {
        const { searchParams: query } = asked;
        const code = randomUUID();
        const redirect = query.get('redirect_uri') ?? '';
        codes.set(code, {
          challenge: query.get('code_challenge') ?? '',
          nonce: query.get('nonce') ?? '',
          redirect,
        });
        const back = new URL(redirect);
        back.searchParams.set('code', code);
        back.searchParams.set('state', query.get('state') ?? '');
        response.writeHead(302, { location: back.href });
        return void response.end();
      }
      case '/token':
        return exchange(await bodyOf(request), response);
      case '/userinfo':
        return send(response, 200, { sub: issuer.claims.sub, groups: ['from-userinfo'] });
      default:
        return send(response, 404, {});
    }
  };
  return issuer;
};
