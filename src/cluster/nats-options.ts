// How the bus connects to NATS: URLs and files become options of the client. Every mistake is found here, before anything
// connects, and named with what to do.
import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  nkeyAuthenticator,
  type TlsOptions,
} from '@nats-io/transport-node';
import { BusError, type BusReport } from './bus.ts';
import { busConnectMs, busPingMs, busReconnectMs } from './limits.ts';

export interface NatsSettings {
  /** `nats://host:4222` or `tls://host:4222`; the credentials may stand in front of the host: `user:password@` or `token@`. */
  readonly urls: readonly string[];
  /** The name of this backend in the server's list of clients. */
  readonly name: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** A file with a JWT and a seed, as `nsc` writes it. Read at each connect. */
  readonly credentialsFile?: string;
  /** A file with the seed of an nkey. Read at each connect. */
  readonly nkeyFile?: string;
  /** PEM files, read at each connect. Any of them requires TLS, as `tls://` does. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

interface ServerUrl {
  readonly host: string;
  readonly isTls: boolean;
  readonly user: string;
  readonly password: string;
}

const invalid = (message: string, cause?: unknown): BusError => new BusError('invalid', message, { cause });

/** Throws a BusError. The password never gets into a message. */
const parseUrl = (text: string): ServerUrl => {
  const shown = text.replace(/\/\/.*@/, '//***@');
  const example = 'must look like nats://host:4222 or tls://host:4222';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '')
    throw invalid(`the URL of the bus ${example} (got "${shown}")`);
  if (url.protocol !== 'nats:' && url.protocol !== 'tls:')
    throw invalid(`the URL of the bus ${example}: ${url.protocol}// is not supported (got "${shown}")`);
  if (url.search !== '' || (url.pathname !== '' && url.pathname !== '/'))
    throw invalid(`the URL of the bus ${example}, without a path or parameters (got "${shown}")`);
  return {
    host: `${url.hostname}:${url.port || 4222}`,
    isTls: url.protocol === 'tls:',
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
};

const readable = (what: string, path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    throw invalid(`the ${what} of the bus can't be read: ${(error as Error).message}`, error);
  }
};

/** As `authenticate` of this moment; a file that became unreadable keeps the last one that worked, and this is reported. */
const renewing = (read: () => Authenticator, report: BusReport): Authenticator => {
  const trial = 'a nonce';
  let last = read();
  last(trial);
  return (nonce) => {
    try {
      const next = read();
      const answer = next(nonce);
      last = next;
      return answer;
    } catch (error) {
      report('warn', `${(error as Error).message}; the credentials read before are used`);
      return last(nonce);
    }
  };
};

const broken = (what: string, path: string, error: unknown): BusError =>
  invalid(`${what} ${path} can't be used: ${(error as Error).message}`, error);

const authenticatorOf = (
  { credentialsFile, nkeyFile }: NatsSettings,
  report: BusReport,
): Authenticator | undefined => {
  const file = credentialsFile ?? nkeyFile;
  if (file === undefined) return undefined;
  const [what, create] =
    credentialsFile === undefined
      ? ['the nkey file', (bytes: Uint8Array) => nkeyAuthenticator(trimmed(bytes))]
      : ['the credentials file', (bytes: Uint8Array) => credsAuthenticator(bytes)];
  const read = () => create(new Uint8Array(readable(what.slice(4), file)));
  try {
    return renewing(read, report);
  } catch (error) {
    throw error instanceof BusError ? error : broken(what, file, error);
  }
};

/** A seed file may end with a newline, and may begin with comment lines. */
const trimmed = (bytes: Uint8Array): Uint8Array => {
  const lines = new TextDecoder().decode(bytes).split('\n');
  return new TextEncoder().encode(lines.map((line) => line.trim()).find((line) => /^S/.test(line)) ?? '');
};

const tlsOf = (
  { caFile, certFile, keyFile }: NatsSettings,
  urls: readonly ServerUrl[],
): TlsOptions | undefined => {
  if ((certFile === undefined) !== (keyFile === undefined))
    throw invalid(
      'the client certificate of the bus needs both its certificate file and its key file (got one)',
    );
  const files = { caFile, certFile, keyFile };
  const given = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined);
  for (const [name, path] of given) readable(name.replace('File', ' file'), path);
  return given.length > 0 || urls.some(({ isTls }) => isTls) ? Object.fromEntries(given) : undefined;
};

const loginOf = ({ user, password, token }: NatsSettings, urls: readonly ServerUrl[]) => {
  const named = urls.find((url) => url.user !== '');
  if (token !== undefined) return { token };
  if (user !== undefined) return { user, pass: password ?? '' };
  if (named === undefined) return {};
  return named.password === '' ? { token: named.user } : { user: named.user, pass: named.password };
};

/** Throws a BusError with the code `invalid`. */
export const natsOptions = (settings: NatsSettings, report: BusReport): ConnectionOptions => {
  if (settings.urls.length === 0) throw invalid('the bus needs at least one URL, such as nats://host:4222');
  const urls = settings.urls.map(parseUrl);
  const ways = [settings.credentialsFile, settings.nkeyFile, settings.token, settings.user];
  if (ways.filter((way) => way !== undefined).length > 1)
    throw invalid('the bus takes one of credentials file, nkey file, token, and user with password');
  const authenticator = authenticatorOf(settings, report);
  const tls = tlsOf(settings, urls);
  return {
    servers: urls.map(({ host }) => host),
    name: settings.name,
    ...(authenticator === undefined ? loginOf(settings, urls) : { authenticator }),
    ...(tls === undefined ? {} : { tls }),
    timeout: busConnectMs,
    pingInterval: busPingMs,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: busReconnectMs,
    reconnectDelayHandler: () => busReconnectMs * (1 + Math.random()),
    // Credentials that are refused now may be right again after the operator mended the server.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  };
};
