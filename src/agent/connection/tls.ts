// TLS options for backend connections: version, ciphers, trusted authorities and client certificate. Files are read
// at every connection attempt: a replaced certificate needs no restart, and an invalid one is logged each time
// instead of stopping the agent.
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import { readAuthorities } from '../../program/authorities.ts';
import { errorText } from '../../program/log.ts';
import type { AgentConfig } from '../flags.ts';

const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const contextOf = (config: AgentConfig): SecureContext => {
  const ca = config.trustedCaFile === '' ? {} : { ca: readAuthorities(config.trustedCaFile) };
  const common = { minVersion: 'TLSv1.2', ciphers, ecdhCurve: 'X25519:P-384:P-256:P-521', ...ca } as const;
  if (config.certFile === '') return createSecureContext(common);
  try {
    const pair = { cert: readFileSync(config.certFile), key: readFileSync(config.keyFile) };
    return createSecureContext({ ...common, ...pair });
  } catch (error) {
    throw new Error(`Error loading tls client certificate: ${errorText(error)}`);
  }
};

/** Throws if a required file is unusable. */
export const tlsToBackend = (config: AgentConfig): ConnectionOptions => ({
  secureContext: contextOf(config),
  rejectUnauthorized: !config.insecureSkipTlsVerify,
});
