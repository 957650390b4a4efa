// OIDC login: redirect to the issuer, callback with a code, our own tokens. A login started on a page of this site
// always returns there; the result is in the URL fragment, which servers do not log.
import { z } from 'zod';
import { MonError } from '../../model/errors.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { callbackPath, type Issuers } from '../auth/providers/issuers.ts';
import { issuerLoginSeconds } from '../auth/providers/limits.ts';
import type { TokenPair } from '../auth/tokens.ts';
import { type Answer, type Call, ok, type Route } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';

const root = callbackPath.replace(/callback$/, '');
const cookieName = 'mon_oidc';
const tag = 'auth';
const uiPath = '/ui/';
const tokensShape = json(
  z.object({ access_token: z.string(), expires_at: z.number(), refresh_token: z.string() }),
  { access_token: 'eyJhbGciOi...', expires_at: 1_700_000_300, refresh_token: 'eyJhbGciOi...' },
);

const docs = {
  providers: {
    tag,
    summary: 'List OIDC issuers with a login link each, for the login page',
    answers: {
      200: {
        what: 'the issuers, sorted by name; `url` ends at `/ui/#access_token=...&expires_at=...&refresh_token=...` or at `/ui/#error=...&error_description=...`',
        shape: json(z.array(z.object({ name: z.string(), type: z.literal('oidc'), url: z.string() })), [
          { name: 'company', type: 'oidc', url: `${root}authorize?provider=company&callback=%2Fui%2F` },
        ]),
      },
    },
  },
  authorize: {
    tag,
    summary: 'Start an OIDC login: redirects the browser to the issuer',
    query: {
      provider: 'name of the provider; default: the first one',
      callback:
        'where the tokens are sent: a path of this site (in the fragment) or a loopback address (in the query); without it they are the response',
    },
    answers: { 302: { what: 'redirect to the issuer', headers: ['Location'] } },
    refusals: [400, 401, 404],
  },
  callback: {
    tag,
    summary: 'Callback of an OIDC login: the issuer redirects the browser here',
    query: { code: 'authorization code', state: 'state of the login', error: 'error reported by the issuer' },
    answers: {
      200: { what: 'tokens', shape: tokensShape },
      302: { what: 'redirect to the requested callback', headers: ['Location'] },
    },
    refusals: [400, 401, 404],
  },
} satisfies Record<string, RouteDoc>;

const textOf = (call: Call, name: string): string => {
  const value = call.query[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
};

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'];

/** A path of this site; `login` lets the page recognize its own login attempt. */
const ownPath = /^\/(?![/\\])[\w\-./]*(?:\?login=[\w-]{1,128})?$/;

/** Tokens are only sent to this site or this machine. */
const checkCallback = (callback: string): string => {
  if (callback === '' || ownPath.test(callback)) return callback;
  const url = URL.canParse(callback) ? new URL(callback) : undefined;
  const isLocal = url?.protocol === 'http:' && loopbackHosts.includes(url.hostname) && url.username === '';
  if (!isLocal)
    throw new MonError(
      'invalid',
      'callback must be a path of this site or an http URL of 127.0.0.1, [::1] or localhost',
    );
  return callback;
};

const cookieOf = (call: Call): string | undefined =>
  call.headers.cookie
    ?.split(';')
    .map((one) => one.trim().split('='))
    .find(([name]) => name === cookieName)?.[1];

const cookie = (value: string, seconds: number, origin: string): string =>
  `${cookieName}=${value}; Max-Age=${seconds}; Path=${root}; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`;

const hand = (tokens: TokenPair, callback: string): Answer => {
  if (callback === '') return ok(tokens);
  return sendTo(callback, { ...tokens, expires_at: String(tokens.expires_at) });
};

/** Fragments are not sent to servers, so they are not logged; a listener on this machine can only read the query. */
const sendTo = (callback: string, told: Readonly<Record<string, string>>): Answer => {
  if (callback.startsWith('/'))
    return { status: 302, headers: { Location: `${callback}#${new URLSearchParams(told)}` } };
  const url = new URL(callback);
  for (const [name, value] of Object.entries(told)) url.searchParams.set(name, value);
  return { status: 302, headers: { Location: url.href } };
};

/** A login from a page returns the error to that page; a program gets a normal error response. */
const refuse = (error: unknown, callback: string): Answer => {
  if (!(error instanceof MonError) || callback === '') throw error;
  return sendTo(callback, { error: error.kind, error_description: error.message });
};

/** The refresh route, under the URL that clients of the reference product use. */
export const oidcRoutes = (
  issuers: Issuers,
  authenticator: Authenticator,
  refreshRoute: Route,
): readonly Route[] => [
  {
    method: 'GET',
    url: '/auth/providers',
    access: 'open',
    doc: docs.providers,
    handle: () =>
      ok(
        issuers.names().map((name) => ({
          name,
          type: 'oidc',
          url: `${root}authorize?${new URLSearchParams({ provider: name, callback: uiPath })}`,
        })),
      ),
  },
  {
    method: 'GET',
    url: `${root}authorize`,
    access: 'open',
    doc: docs.authorize,
    handle: async (call) => {
      const callback = checkCallback(textOf(call, 'callback'));
      const { origin } = call;
      const { url, browser } = await issuers.begin({ name: textOf(call, 'provider'), origin, callback });
      const headers = { Location: url, 'Set-Cookie': cookie(browser, issuerLoginSeconds, origin) };
      return { status: 302, headers: { ...headers, 'Cache-Control': 'no-store' } };
    },
  },
  {
    method: 'GET',
    url: callbackPath,
    access: 'open',
    doc: docs.callback,
    handle: async (call) => {
      const url = new URL(callbackPath, call.origin);
      for (const [name, value] of Object.entries(call.query))
        for (const one of [value ?? []].flat()) url.searchParams.append(name, one);
      const callback = await issuers.destination(url.searchParams.get('state') ?? '');
      const answer = await issuers
        .finish(url, cookieOf(call))
        .then((identity) => authenticator.welcome(identity))
        .then((tokens) => hand(tokens, callback))
        .catch((error: unknown) => refuse(error, callback));
      const headers = { ...answer.headers, 'Set-Cookie': cookie('', 0, call.origin) };
      return {
        ...answer,
        headers: { ...headers, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
      };
    },
  },
  {
    ...refreshRoute,
    url: `${root}token`,
    doc: { ...refreshRoute.doc, summary: 'Same as POST /auth/token' },
  },
];
