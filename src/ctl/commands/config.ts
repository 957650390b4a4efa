// config: what is configured, and which context is in use. Nothing here talks to a backend.
import { CtlError } from '../failure.ts';
import { asJson } from '../output/documents.ts';
import { details, table } from '../output/table.ts';
import { timestamp } from '../output/values.ts';
import type { Session } from '../session.ts';
import type { SavedContext } from '../settings/config-file.ts';
import { readFormat, readTimeout } from '../settings/settings.ts';

/** What a token says of itself; not verified, only shown. */
const claims = (token: string | undefined): { readonly sub?: string; readonly exp?: number } => {
  try {
    return JSON.parse(Buffer.from((token ?? '').split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return {};
  }
};

export const view = (session: Session): void => {
  const { settings } = session;
  if (!settings.saved.access_token && settings.apiKey === '')
    throw new CtlError('no active configuration found');
  const { sub, exp } = claims(settings.saved.access_token);
  const timeout = `${settings.timeoutMs / 1000}s`;
  if (settings.format === 'json' || settings.format === 'wrapped-json' || settings.format === 'yaml') {
    const shown = {
      context: settings.context,
      'api-url': settings.apiUrl,
      namespace: settings.namespace,
      format: settings.format,
      timeout,
      username: sub ?? '',
      jwt_expires_at: exp ?? 0,
    };
    session.print(
      settings.format === 'yaml'
        ? Object.entries(shown)
            .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
            .join('\n')
        : asJson(shown),
    );
    return;
  }
  session.print(
    details(
      'Active Configuration',
      [
        ['Context', settings.context],
        ['API URL', settings.apiUrl],
        ['Namespace', settings.namespace],
        ['Format', settings.format],
        ['Timeout', timeout],
        ['Username', sub ?? ''],
        ['JWT Expiration Timestamp', exp === undefined ? '' : String(exp)],
        ...(exp === undefined ? [] : ([['JWT Expires', timestamp(exp)]] as const)),
      ],
      session.look,
    ),
  );
};

const set = async (session: Session, change: Partial<SavedContext>): Promise<void> => {
  await session.store.update(session.settings.context, (saved) => ({ ...saved, ...change }));
  session.print('Updated');
};

export const setFormat = (session: Session, [word = '']: readonly string[]): Promise<void> =>
  set(session, { format: readFormat(word) });

export const setNamespace = (session: Session, [namespace = '']: readonly string[]): Promise<void> =>
  set(session, { namespace });

export const setTimeout = (session: Session, [word = '']: readonly string[]): Promise<void> =>
  set(session, { timeout: `${readTimeout(word) / 1000}s` });

export const useContext = async (session: Session, [name = '']: readonly string[]): Promise<void> => {
  await session.store.use(name);
  session.print(`Using context ${name}`);
};

export const removeContext = async (session: Session, [name = '']: readonly string[]): Promise<void> => {
  await session.store.remove(name);
  session.print('Deleted');
};

export const listContexts = async (session: Session): Promise<void> => {
  const { current, contexts } = await session.store.read();
  const rows = Object.entries(contexts).map(([name, saved]) => [
    name === current ? '*' : '',
    name,
    saved.api_url ?? '',
    saved.namespace ?? 'default',
    claims(saved.access_token).sub ?? '',
  ]);
  session.print(table(['Current', 'Name', 'API URL', 'Namespace', 'Username'], rows, session.look));
};
