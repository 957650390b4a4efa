// env: the configuration as variables for a shell. Tokens are fresh, so that scripts can use them at once.
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import type { Session } from '../session.ts';

/** A backslash, a quote, a dollar and a backtick mean something between double quotes. */
const posix = (text: string): string => `"${text.replaceAll(/[\\"$`]/g, '\\$&')}"`;

interface Shell {
  line(name: string, value: string): string;
  readonly hint: readonly string[];
}

const shells: Readonly<Record<string, Shell>> = {
  bash: {
    line: (name, value) => `export ${name}=${posix(value)}`,
    hint: ['# Run this command to configure your shell:', '# eval $(mon-ctl env)'],
  },
  cmd: {
    line: (name, value) => `SET ${name}=${value}`,
    hint: [
      'REM Run this command to configure your shell:',
      'REM \t@FOR /f "tokens=*" %i IN (\'mon-ctl env --shell cmd\') DO @%i',
    ],
  },
  powershell: {
    line: (name, value) => `$Env:${name} = "${value.replaceAll(/[`"$]/g, '`$&')}"`,
    hint: [
      '# Run this command to configure your shell:',
      '# & mon-ctl env --shell powershell | Invoke-Expression',
    ],
  },
};

const freshContext = async (session: Session) => {
  if (session.settings.apiKey !== '') return session.settings.saved;
  // Renews the token when it is about to expire, and fails when nobody is logged in.
  await (await session.api()).get('/api/core/v2/namespaces');
  const { contexts } = await session.store.read();
  return contexts[session.settings.context] ?? {};
};

/** Names without prefix, and values; tokens are fresh. */
const variablesOf = async (session: Session): Promise<readonly (readonly [string, string])[]> => {
  const { settings } = session;
  const saved = await freshContext(session);
  return [
    ['API_URL', settings.apiUrl],
    ['NAMESPACE', settings.namespace],
    ['FORMAT', settings.format],
    ['API_KEY', settings.apiKey],
    ['ACCESS_TOKEN', saved.access_token ?? ''],
    ['ACCESS_TOKEN_EXPIRES_AT', String(saved.expires_at ?? 0)],
    ['REFRESH_TOKEN', saved.refresh_token ?? ''],
    ['TRUSTED_CA_FILE', settings.trustedCaFile],
    ['INSECURE_SKIP_TLS_VERIFY', String(settings.insecureSkipTlsVerify)],
    ['TIMEOUT', `${settings.timeoutMs / 1000}s`],
  ];
};

/** For a program: under the names of this product and of the reference. */
export const environmentOf = async (session: Session): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await variablesOf(session)).flatMap(([name, value]) => [
      [`MON_${name}`, value],
      [`SENSU_${name}`, value],
    ]),
  );

export const printEnvironment: Work = async (session) => {
  const name = typeof session.given.shell === 'string' ? session.given.shell : 'bash';
  const shell = shells[name];
  if (shell === undefined)
    throw new CtlError(`--shell must be one of ${Object.keys(shells).join(', ')} (got "${name}")`);
  for (const [key, value] of await variablesOf(session)) session.print(shell.line(`MON_${key}`, value));
  for (const line of shell.hint) session.print(line);
};
