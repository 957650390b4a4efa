// What a login at an issuer brings back to the page, and whether this tab asked for it. The backend hands tokens over in the
// fragment of an address. Anybody can write such a link with tokens of their own, so the tab that leaves for an issuer keeps
// a nonce, the address it comes back to carries it, and tokens without it are not taken.

import type { Tokens } from '../hub/protocol.ts';

export type Arrival =
  | { readonly type: 'loggedIn'; readonly user: string; readonly tokens: Tokens }
  | { readonly type: 'refused'; readonly why: string };

/** The query parameter that carries the nonce. */
const nonceParameter = 'login';

/** Where the browser goes to log in: the address the backend gave, asked to come back with the nonce. */
export const addressWithNonce = (url: string, origin: string, nonce: string): string => {
  const address = new URL(url, origin);
  const back = address.searchParams.get('callback') ?? '/ui/';
  address.searchParams.set('callback', `${back}?${nonceParameter}=${nonce}`);
  return address.href;
};

export const newNonce = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('');
};

const notAsked =
  'A link tried to log this tab in. Nothing was taken from it, since the login was not begun here. Log in below.';

/** What the page was opened with; undefined when it was no login. `begun`: the nonce this tab left with, if it did. */
export const arrivalAt = (
  { hash, search }: { readonly hash: string; readonly search: string },
  begun: string | null,
): Arrival | undefined => {
  const told = new URLSearchParams(hash.slice(1));
  if (!told.has('access_token') && !told.has('error')) return undefined;
  if (begun === null || begun === '' || new URLSearchParams(search).get(nonceParameter) !== begun)
    return { type: 'refused', why: notAsked };
  const why = told.get('error_description') ?? told.get('error');
  if (why !== null) return { type: 'refused', why };
  const token = told.get('access_token') ?? '';
  return {
    type: 'loggedIn',
    user: subjectOf(token),
    tokens: {
      access_token: token,
      refresh_token: told.get('refresh_token') ?? '',
      expires_at: Number(told.get('expires_at')),
    },
  };
};

/** The name in a token is only shown; the backend is the one that checks it. */
const subjectOf = (token: string): string => {
  const [, claims = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
    one.charCodeAt(0),
  );
  return String((JSON.parse(new TextDecoder().decode(bytes)) as { sub?: unknown }).sub ?? '');
};
