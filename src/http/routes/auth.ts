// Login, refresh and logout. Errors are plain text, as clients expect, or JSON if requested.
import { z } from 'zod';
import { errorCatalogue, MonError } from '../../model/errors.ts';
import { type Authenticator, parseBasic, parseBearer } from '../auth/authenticator.ts';
import { objectBody } from '../body.ts';
import { type Answer, type Call, notStored, ok, plainText, type Route } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';

const noSniff = { 'X-Content-Type-Options': 'nosniff' };

/** Plain text, or JSON if the client asks for it. */
const refusal = ({ headers }: Call, message: string, inJson = message): Answer =>
  headers.accept?.includes('application/json') === true
    ? { status: 401, headers: noSniff, body: { message: inJson, code: errorCatalogue.unauthenticated.code } }
    : plainText(401, `${message}\n`, noSniff);
const unauthorized = (call: Call): Answer => refusal(call, 'Unauthorized');
const requestUnauthorized = (call: Call): Answer => refusal(call, 'Request unauthorized');

/**
 * Replaces the error for wrong credentials by the text of the route; other errors (throttled, queue full) are
 * unchanged.
 */
const orElse = async (refusal: Answer, work: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MonError && error.kind === 'unauthenticated') return refusal;
    throw error;
  }
};

const tag = 'auth';
const tokens = json(
  z.object({ access_token: z.string(), expires_at: z.number(), refresh_token: z.string() }),
  { access_token: 'eyJhbGciOi...', expires_at: 1_700_000_300, refresh_token: 'eyJhbGciOi...' },
);
const refreshBody = json(z.object({ refresh_token: z.string() }), { refresh_token: 'eyJhbGciOi...' });
const basic = { tag, plainRefusals: true, basicLogin: true, refusals: [401, 429] } as const;
const withTokens = { tag, plainRefusals: true, body: { shape: refreshBody }, refusals: [401] } as const;
const docs = {
  login: { ...basic, summary: 'Log in', answers: { 200: { what: 'tokens', shape: tokens } } },
  test: { ...basic, summary: 'Check a password', answers: { 200: { what: 'it is' } } },
  refresh: {
    ...withTokens,
    summary:
      'Exchange a refresh token for new tokens; the access token may be expired. A refresh token works once.',
    answers: { 200: { what: 'tokens', shape: tokens } },
  },
  logout: { ...withTokens, summary: 'End a login', answers: { 200: { what: 'ended' } } },
} satisfies Record<string, RouteDoc>;

interface TokenCall {
  readonly access: string;
  readonly refresh: string;
}

const tokenCall = (call: Call): TokenCall | null => {
  const access = parseBearer(call.headers.authorization);
  if (access === undefined || access === '') return null;
  const refresh = objectBody(call.body).refresh_token;
  if (typeof refresh !== 'string') throw new MonError('invalid', 'refresh_token must be a string');
  return { access, refresh };
};

/** The refresh route for logins of every origin. */
export const refreshRoute = (authenticator: Authenticator): Route => ({
  method: 'POST',
  url: '/auth/token',
  access: 'open',
  doc: docs.refresh,
  handle: async (call) => {
    const tokens = tokenCall(call);
    if (tokens === null) return requestUnauthorized(call);
    try {
      return ok(await authenticator.refresh(tokens.access, tokens.refresh), notStored);
    } catch (error) {
      // Who asks for JSON can tell a person why the login is over.
      if (error instanceof MonError && error.kind === 'unauthenticated')
        return refusal(call, 'Request unauthorized', error.message);
      throw error;
    }
  },
});

export const authRoutes = (authenticator: Authenticator): readonly Route[] => [
  {
    method: 'GET',
    url: '/auth',
    access: 'open',
    doc: docs.login,
    handle: (call) => {
      const basic = parseBasic(call.headers.authorization);
      if (basic === undefined)
        return call.headers.authorization?.startsWith('Basic ')
          ? unauthorized(call)
          : requestUnauthorized(call);
      return orElse(unauthorized(call), async () =>
        ok(await authenticator.login(basic.username, basic.password, call.address), notStored),
      );
    },
  },
  {
    method: 'GET',
    url: '/auth/test',
    access: 'open',
    doc: docs.test,
    handle: (call) => {
      const basic = parseBasic(call.headers.authorization);
      if (basic === undefined) return requestUnauthorized(call);
      return orElse(requestUnauthorized(call), async () => {
        await authenticator.credentials.verify(basic.username, basic.password, call.address);
        return { status: 200 };
      });
    },
  },
  refreshRoute(authenticator),
  {
    method: 'POST',
    url: '/auth/logout',
    access: 'open',
    doc: docs.logout,
    handle: (call) => {
      const tokens = tokenCall(call);
      if (tokens === null) return requestUnauthorized(call);
      return orElse(requestUnauthorized(call), async () => {
        await authenticator.logout(tokens.access, tokens.refresh);
        return { status: 200 };
      });
    },
  },
];
