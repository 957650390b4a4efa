// TLS files of the backend for both listeners, loaded at start and on SIGHUP.
import { readFileSync } from 'node:fs';
import type { Api } from '../http/api.ts';
import { type TlsOptions, tlsOptions } from '../http/tls.ts';
import { readAuthorities } from '../program/authorities.ts';
import type { Logger } from '../program/log.ts';
import { SettingsError } from '../program/resolve.ts';
import type { BackendSettings } from './backend-flags.ts';
import type { EarlierGeneration } from './earlier-generation.ts';
import type { Trust } from './trust.ts';

/** Authorities for agent certificates. Certificates of the general authorities are optional. */
const clientsOf = ({ agentAuthTrustedCaFile, trustedCaFile }: BackendSettings) => {
  if (agentAuthTrustedCaFile !== '') return { clientCa: readAuthorities(agentAuthTrustedCaFile) };
  if (trustedCaFile === '') return {};
  return { clientCa: readAuthorities(trustedCaFile), clientsWithout: 'allowed' } as const;
};

/** Empty without certificate and key. Throws if only one is set, or a file cannot be read. */
export const readTls = (settings: BackendSettings): { api?: TlsOptions; agents?: TlsOptions } => {
  const { certFile, keyFile } = settings;
  if (certFile === '' && keyFile === '') return {};
  if (certFile === '' || keyFile === '')
    throw new SettingsError('tls configuration error, both flags --cert-file & --key-file are required');
  const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  return { api: tlsOptions(pair), agents: tlsOptions({ ...pair, ...clientsOf(settings) }) };
};

/** SIGHUP: reloads certificates. If they are unreadable or invalid, this is logged and the old ones stay. */
export const renewOnHangUp = (
  settings: BackendSettings,
  trust: Trust,
  { api, earlier }: { readonly api: Api; readonly earlier: Pick<EarlierGeneration, 'renewCertificate'> },
  log: Logger,
): void => {
  const renew = (what: string, read: () => void): void => {
    try {
      read();
      log.warn(`${what} were reloaded`);
    } catch (error) {
      log.error({ err: error }, `the new ${what} cannot be used; the old ones stay`);
    }
  };
  process.on('SIGHUP', () => {
    renew('certificates', () => {
      const tls = readTls(settings);
      api.renewCertificates(tls);
      earlier.renewCertificate(tls.api);
    });
    if (settings.trustedCaFile !== '') renew('trusted authorities', trust.renew);
  });
};
