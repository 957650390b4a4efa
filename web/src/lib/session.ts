// The login, as views see it: one for all tabs, kept by the hub.
import { computed, signal } from '@preact/signals';
import { beginSession, endSession, freshSession, session } from '../hub/connection.ts';
import type { Tokens } from '../hub/protocol.ts';
import { arrive } from './issuers.ts';

export { isAsking, whyLoggedOut } from '../hub/connection.ts';

const loginLimitMs = 30_000;

export const user = computed(() => session.value?.user);

/** Why a login at an issuer came to nothing; empty when none did. */
export const refusal = signal('');

const arrival = arrive();
if (arrival?.type === 'loggedIn') beginSession({ ...arrival.tokens, user: arrival.user });
if (arrival?.type === 'refused') refusal.value = arrival.why;

/** Base64 of UTF-8, which `btoa` alone does not give. */
const basic = (name: string, password: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)));

/** Resolves with nothing when logged in, else with a sentence for the person at the form. */
export const login = async (name: string, password: string): Promise<string | undefined> => {
  const response = await fetch('/auth', {
    headers: { authorization: `Basic ${basic(name, password)}` },
    signal: AbortSignal.timeout(loginLimitMs),
  });
  if (response.ok) {
    beginSession({ ...((await response.json()) as Tokens), user: name });
    return undefined;
  }
  if (response.status === 401) return 'User name or password is wrong.';
  if (response.status === 429) return 'Too many tries. Wait a minute and try again.';
  return `The backend answered ${response.status}. Look at its log, then try again.`;
};

export const logout = (): void => endSession();

const goodForMs = 30_000;

/** An access token that is good for at least the next half minute; undefined without a login. */
export const accessToken = async (refused?: string): Promise<string | undefined> => {
  const now = session.peek();
  if (now === undefined) return undefined;
  if (refused === undefined && now.expires_at * 1000 - Date.now() > goodForMs) return now.access_token;
  return (await freshSession(refused))?.access_token;
};
