// One connection to one directory server, for one login: TLS as configured, with a timeout for every response. The
// library reconnects automatically; after STARTTLS that would send the next password unencrypted, so a second
// connection is refused here.
import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Client, InvalidCredentialsError, ResultCodeError } from 'ldapts';
import type { DirectoryServer } from '../../../model/access/auth-provider.ts';
import { type TrustedAuthorities, trusting } from '../../../model/access/trusted-authorities.ts';
import { directoryTimeoutMs } from './limits.ts';

const tlsOptionsOf = (server: DirectoryServer, authorities: TrustedAuthorities): ConnectionOptions => {
  const { host, insecure, trusted_ca_file: ca, client_cert_file: cert, client_key_file: key } = server;
  return {
    host,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: !insecure,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === '' ? trusting(authorities) : { ca: readFileSync(ca) }),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
  };
};

/** The first call succeeds, all later calls throw. */
const once = <A extends readonly unknown[], R>(call: (...given: A) => R): ((...given: A) => R) => {
  let used = false;
  return (...given) => {
    if (used) throw new Error('the connection was lost');
    used = true;
    return call(...given);
  };
};

/** Connects and, if configured, starts TLS. Rejects if the server is unreachable or its certificate is not trusted. */
export const openDirectory = async (
  server: DirectoryServer,
  authorities: TrustedAuthorities,
): Promise<Client> => {
  const { host, port, security } = server;
  const tlsOptions = tlsOptionsOf(server, authorities);
  const isTls = security === 'tls';
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const client = new Client({
    url: `${isTls ? 'ldaps' : 'ldap'}://${name}:${port}`,
    timeout: directoryTimeoutMs,
    connectTimeout: directoryTimeoutMs,
    strictDN: false,
    ...(isTls ? { tlsOptions } : {}),
    createConnection: once(connect as (...given: readonly unknown[]) => ReturnType<typeof connect>) as never,
    createSecureConnection: once(
      connectTls as (...given: readonly unknown[]) => ReturnType<typeof connectTls>,
    ) as never,
  });
  if (security === 'starttls') await client.startTLS(tlsOptions);
  return client;
};

/** Directories often send a code and no text. */
const wordsOf = (error: unknown): string => {
  if (error instanceof InvalidCredentialsError) return 'invalid credentials (LDAP result 49)';
  if (!(error instanceof ResultCodeError)) return error instanceof Error ? error.message : String(error);
  const said = error.message.replace(/\s*Code: 0x[0-9a-f]+$/, '').trim();
  return `${said === '' ? error.name : said} (LDAP result ${error.code})`;
};

/** Binds as the account of the provider, if it has one. Rejects with the account and the reason. */
export const bindAsService = async (client: Client, { binding }: DirectoryServer): Promise<void> => {
  if (binding === null) return;
  await client.bind(binding.user_dn, binding.password).catch((error: unknown) => {
    throw new Error(`failed to bind as ${binding.user_dn}: ${wordsOf(error)}`);
  });
};
