// Logging in at an OIDC issuer: which ones there are, the way there, and what a login brings back. The backend hands the
// tokens over in the fragment of the address, which no server sees; it is taken out of the address bar at once.

export interface Issuer {
  readonly name: string;
  /** Where the browser goes; it comes back to `/ui/`. */
  readonly url: string;
}

/** None when the backend knows of none, or does not answer: the password form is there either way. */
export const askIssuers = async (): Promise<readonly Issuer[]> => {
  const response = await fetch('/auth/providers').catch(() => undefined);
  return response?.ok === true ? ((await response.json()) as Issuer[]) : [];
};

const returnKey = 'mon.return';

/** Leaves for the issuer; whoever comes back finds the view that was asked for. */
export const goToIssuer = ({ url }: Issuer): void => {
  sessionStorage.setItem(returnKey, location.pathname + location.search);
  location.assign(url);
};

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
}

export type Arrival =
  | { readonly type: 'loggedIn'; readonly user: string; readonly tokens: Tokens }
  | { readonly type: 'refused'; readonly why: string };

/** What the login at an issuer came to, if the page was opened by one. */
export const arrive = (): Arrival | undefined => {
  const told = new URLSearchParams(location.hash.slice(1));
  if (!told.has('access_token') && !told.has('error')) return undefined;
  history.replaceState(null, '', sessionStorage.getItem(returnKey) ?? location.pathname);
  sessionStorage.removeItem(returnKey);
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
