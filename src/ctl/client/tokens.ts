// Tokens of a login: got with a password, renewed before they expire, kept in the context. A refresh token works once, so two
// commands at the same time must not both use it: the second waits and takes what the first got.
import { CtlError } from '../failure.ts';
import { renewEarlySeconds } from '../limits.ts';
import type { ConfigStore, SavedContext } from '../settings/config-file.ts';
import type { Settings, Variables } from '../settings/settings.ts';
import { ApiClient, type Credentials, refusalOf } from './api-client.ts';
import type { Transport } from './http-request.ts';

export interface Tokens {
  readonly access_token: string;
  readonly expires_at: number;
  readonly refresh_token: string;
}

const readTokens = (text: string): Tokens | undefined => {
  try {
    const { access_token, expires_at, refresh_token } = JSON.parse(text) as Partial<Tokens>;
    return access_token
      ? { access_token, expires_at: expires_at ?? 0, refresh_token: refresh_token ?? '' }
      : undefined;
  } catch {
    return undefined;
  }
};

export const transportOf = (settings: Settings, env: Variables): Transport => ({
  timeoutMs: settings.timeoutMs,
  trustedCaFile: settings.trustedCaFile,
  insecureSkipTlsVerify: settings.insecureSkipTlsVerify,
  env,
});

/** Throws when the server refuses the password. */
export const logIn = async (
  apiUrl: string,
  transport: Transport,
  username: string,
  password: string,
): Promise<Tokens> => {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const reply = await new ApiClient(apiUrl, transport).send('GET', '/auth', {
    headers: { Authorization: `Basic ${basic}` },
  });
  if (reply.status === 401) throw new CtlError('unable to authenticate with error: bad username or password');
  if (reply.status >= 400)
    throw new CtlError(`unable to authenticate with error: ${refusalOf(reply).message}`);
  const tokens = readTokens(reply.text);
  if (tokens === undefined)
    throw new CtlError(`${apiUrl}/auth did not answer with tokens; is this the API of a backend?`);
  return tokens;
};

const bearer = (token: string): string => `Bearer ${token}`;

/** Renews for `saved`; null when the login has ended. */
const refresh = async (settings: Settings, transport: Transport, saved: SavedContext): Promise<Tokens> => {
  const reply = await new ApiClient(settings.apiUrl, transport).send('POST', '/auth/token', {
    headers: { Authorization: bearer(saved.access_token ?? '') },
    body: { refresh_token: saved.refresh_token ?? '' },
  });
  const tokens = reply.status < 400 ? readTokens(reply.text) : undefined;
  if (tokens !== undefined) return tokens;
  throw new CtlError(
    `failed to request new refresh token; client returned 'The server returned the error: ${reply.status} ${reply.text.trim()}'; log in again with "mon-ctl login"`,
  );
};

export const tokenCredentials = (
  settings: Settings,
  store: ConfigStore,
  transport: Transport,
): Credentials => {
  let current = settings.saved;
  const renew = (used: string | undefined): Promise<string> =>
    store.locked(async () => {
      const file = await store.read();
      const saved = file.contexts[settings.context] ?? {};
      // Another command renewed it while this one waited.
      if (saved.access_token !== undefined && saved.access_token !== used) {
        current = saved;
        return bearer(saved.access_token);
      }
      const tokens = await refresh(settings, transport, saved);
      await store.change(settings.context, (context) => ({ ...context, ...tokens }));
      current = { ...saved, ...tokens };
      return bearer(tokens.access_token);
    });
  return {
    authorization: async () => {
      const left = (current.expires_at ?? 0) - Date.now() / 1000;
      return left > renewEarlySeconds ? bearer(current.access_token ?? '') : renew(current.access_token);
    },
    renew: () => renew(current.access_token),
  };
};
