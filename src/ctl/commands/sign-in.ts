// configure, login and logout.

import { logIn, transportOf } from '../client/tokens.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { ask, askChoice, askSecret } from '../prompt.ts';
import type { Session } from '../session.ts';
import { formats, readFormat, readUrl, type Settings } from '../settings/settings.ts';

const given = (session: Session, name: string): string | undefined => {
  const value = session.given[name];
  return typeof value === 'string' ? value : undefined;
};

const need = async (
  session: Session,
  name: string,
  variable: string | undefined,
  question: () => Promise<string>,
): Promise<string> => {
  const value = given(session, name) ?? variable;
  if (value !== undefined) return value;
  if (given(session, 'non-interactive') === 'true')
    throw new CtlError(`--${name} must be given with --non-interactive`);
  return question();
};

const variable = (session: Session, name: string): string | undefined =>
  session.streams.env[`MON_${name}`] || session.streams.env[`SENSU_${name}`] || undefined;

interface Chosen {
  readonly apiUrl: string;
  readonly username: string;
  readonly password: string;
}

const credentials = async (session: Session): Promise<Chosen> => {
  const { settings } = session;
  const known = given(session, 'api-url') ?? variable(session, 'API_URL');
  const apiUrl = readUrl(
    await need(
      session,
      'url',
      known ?? (given(session, 'non-interactive') === 'true' ? settings.apiUrl || undefined : undefined),
      () => ask(session, 'Backend API URL', settings.apiUrl || 'http://127.0.0.1:8080'),
    ),
  );
  const username = await need(session, 'username', variable(session, 'USERNAME'), () =>
    ask(session, 'Username'),
  );
  const password = await need(session, 'password', variable(session, 'PASSWORD'), () =>
    askSecret(session, 'Password'),
  );
  return { apiUrl, username, password };
};

/** Under the name of the context: what was chosen on this command line. */
const keep = (session: Session, settings: Settings, apiUrl: string, tokens: object): Promise<void> =>
  session.store.update(settings.context, (saved) => ({
    ...saved,
    api_url: apiUrl,
    trusted_ca_file: settings.trustedCaFile,
    insecure_skip_tls_verify: settings.insecureSkipTlsVerify,
    timeout: `${settings.timeoutMs / 1000}s`,
    api_key: '',
    ...tokens,
  }));

const signIn = async (session: Session): Promise<void> => {
  const { settings, streams } = session;
  const { apiUrl, username, password } = await credentials(session);
  const tokens = await logIn(apiUrl, transportOf(settings, streams.env), username, password);
  await keep(session, settings, apiUrl, tokens);
};

const signInWithBrowser = async (session: Session): Promise<void> => {
  const { settings, streams } = session;
  const word = given(session, 'url') ?? (settings.apiUrl || undefined);
  const apiUrl = readUrl(word ?? (await ask(session, 'Backend API URL', 'http://127.0.0.1:8080')));
  const { logInWithBrowser } = await import('./sign-in-browser.ts');
  const tokens = await logInWithBrowser(session, apiUrl, transportOf(settings, streams.env));
  await keep(session, settings, apiUrl, tokens);
};

export const login = async (session: Session, [how = 'password']: readonly string[]): Promise<void> => {
  if (how === 'oidc') await signInWithBrowser(session);
  else if (['password', 'ldap', 'ad'].includes(how)) await signIn(session);
  else throw new CtlError(`log in with password, ldap, ad or oidc (got "${how}")`);
  session.print('You have been logged in');
};

export const configure = async (session: Session): Promise<void> => {
  const { settings } = session;
  const silent = given(session, 'non-interactive') === 'true';
  await signIn(session);
  const namespace =
    given(session, 'namespace') ??
    (silent ? settings.namespace : await ask(session, 'Namespace', settings.namespace));
  const format =
    given(session, 'format') ??
    (silent
      ? settings.format
      : await askChoice(session, 'Preferred output format', formats, settings.format));
  await session.store.update(settings.context, (saved) => ({
    ...saved,
    namespace,
    format: readFormat(format),
  }));
  await session.store.use(settings.context);
};

export const logout = async (session: Session): Promise<void> => {
  const { settings, store } = session;
  if (!settings.saved.access_token) throw new CtlError('You are not logged in');
  const { apiUrl, saved } = settings;
  const { ApiClient } = await import('../client/api-client.ts');
  const client = new ApiClient(apiUrl, transportOf(settings, session.streams.env));
  const reply = await client.send('POST', '/auth/logout', {
    headers: { Authorization: `Bearer ${saved.access_token}` },
    body: { refresh_token: saved.refresh_token ?? '' },
  });
  // 401: the login had ended by itself.
  if (reply.status >= 400 && reply.status !== 401)
    throw new RefusedError(`unable to log out: ${reply.text.trim()}`, reply.status, undefined);
  await store.update(
    settings.context,
    ({ access_token: _a, expires_at: _e, refresh_token: _r, ...rest }) => ({
      ...rest,
      trusted_ca_file: '',
      insecure_skip_tls_verify: false,
    }),
  );
  session.print('You have been logged out');
};
