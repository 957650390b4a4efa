// The login of this tab: an access token for five minutes, a refresh token that works once. Kept in the tab's own
// storage, so that two tabs never use the same refresh token.
import { signal } from '@preact/signals';
import type { Tokens } from './arrival.ts';
import { arrive } from './issuers.ts';

const key = 'mon.session';
const read = (): (Tokens & { user: string }) | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

let tokens = read();
export const user = signal<string | undefined>(tokens?.user);

const keep = (found: (Tokens & { user: string }) | undefined): void => {
  tokens = found;
  if (found === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(found));
  user.value = found?.user;
};

/** Why a login at an issuer came to nothing; empty when none did. */
export const refusal = signal('');

const arrival = arrive();
if (arrival?.type === 'loggedIn') keep({ ...arrival.tokens, user: arrival.user });
if (arrival?.type === 'refused') refusal.value = arrival.why;

/** Base64 of UTF-8, which `btoa` alone does not give. */
const basic = (name: string, password: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)));

/** Resolves with nothing when logged in, else with a sentence for the person at the form. */
export const login = async (name: string, password: string): Promise<string | undefined> => {
  const response = await fetch('/auth', { headers: { authorization: `Basic ${basic(name, password)}` } });
  if (response.ok) {
    keep({ ...((await response.json()) as Tokens), user: name });
    return undefined;
  }
  if (response.status === 401) return 'User name or password is wrong.';
  if (response.status === 429) return 'Too many tries. Wait a minute and try again.';
  return `The backend answered ${response.status}. Look at its log, then try again.`;
};

export const logout = async (): Promise<void> => {
  const old = tokens;
  keep(undefined);
  if (old === undefined) return;
  await fetch('/auth/logout', tokenRequest(old)).catch(() => undefined);
};

const tokenRequest = (old: Tokens): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${old.access_token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ refresh_token: old.refresh_token }),
});

let refreshing: Promise<void> | undefined;

const refresh = async (): Promise<void> => {
  const old = tokens;
  if (old === undefined) return;
  const response = await fetch('/auth/token', tokenRequest(old));
  if (response.ok) keep({ ...((await response.json()) as Tokens), user: old.user });
  else if (response.status < 500 && response.status !== 429) keep(undefined);
};

/** A header that is good for at least the next half minute. */
export const authorization = async (): Promise<string> => {
  if (tokens !== undefined && tokens.expires_at * 1000 - Date.now() < 30_000) {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }
  return `Bearer ${tokens?.access_token ?? ''}`;
};

export const forget = (): void => keep(undefined);
