// Secrets providers: where secrets are fetched from. Always in wrapped form. `max_retries`,
// `timeout` and `rate_limiter` may stand under `spec` or under `spec.client`; both are read, and they are kept
// under `client`.

import { z } from 'zod';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault } from '../resource/names.ts';
import { isObject } from '../schema/is-object.ts';
import { flag, number, text, unsigned } from '../schema/quick-types.ts';
import { parseDuration } from '../time/durations.ts';
import { secretsApiVersion } from './secret.ts';

/** `VaultProvider` is the reference product's name for `StoreProvider`. */
export const providerTypes = ['Env', 'StoreProvider', 'VaultProvider'] as const;

/**
 * Providers of the reference product that are not supported. They get their own message, since existing files use
 * them.
 */
const unsupported: readonly string[] = ['CyberArkProvider', 'AWSProvider'];

const tlsSchema = z.object({
  ca_cert: text('').describe('File of authorities (PEM) to trust.'),
  ca_path: text('').describe('Folder of such files.'),
  client_cert: text('').describe('File of the client certificate (PEM).'),
  client_key: text('').describe('File of its key (PEM).'),
  cname: text('').describe('Host name expected in the certificate of the store.'),
  insecure: flag(false).describe('Whether any certificate is accepted; for tests only.'),
  tls_server_name: text('').describe('Host name sent in the TLS handshake.'),
});

const rateLimiterSchema = z.object({
  /** Requests per second. */
  limit: number(0).describe('Requests per second; 0: no limit.'),
  burst: unsigned(0).describe('Requests that may follow each other without a pause.'),
});

const defaultMaxRetries = 2;
const defaultTimeout = '60s';

const clientSchema = z.object({
  address: text('').describe('Address of the store.'),
  agent_address: text('').describe('Address of a local agent of the store.'),
  token: text('').describe('Token to read with; hidden when read back.'),
  version: text('').meta({ description: 'Version of its key-value interface.', 'x-allowed': ['v1', 'v2'] }),
  max_retries: unsigned(defaultMaxRetries).describe('How often a question is asked again.'),
  timeout: text(defaultTimeout).describe('Longest wait for an answer, as 20s.'),
  rate_limiter: rateLimiterSchema.nullable().default(null).describe('How many questions are asked.'),
  tls: tlsSchema.nullable().default(null).describe('TLS settings.'),
});
export type StoreClient = z.infer<typeof clientSchema>;

export const secretsProviderSchema = z.object({
  type: text('').describe('Env, StoreProvider or VaultProvider.'),
  api_version: text(secretsApiVersion).describe('Always secrets/v1.'),
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  spec: z
    .object({ client: clientSchema.optional().describe('How to reach the store; not for Env.') })
    .prefault({})
    .describe('Settings of the provider.'),
});
export type SecretsProvider = z.infer<typeof secretsProviderSchema>;

export const providerSecretPaths = [['spec', 'client', 'token']] as const;

/** Moves the three fields from `spec` to `client`; values already in `client` win. */
export const gatherClient = (raw: unknown): unknown => {
  if (!isObject(raw) || !isObject(raw.spec)) return raw;
  const { max_retries, timeout, rate_limiter, ...spec } = raw.spec;
  if (!isObject(spec.client)) return raw.type === 'Env' ? { ...raw, spec: {} } : raw;
  const outer = Object.fromEntries(
    Object.entries({ max_retries, timeout, rate_limiter }).filter(([, value]) => value !== undefined),
  );
  return { ...raw, spec: { ...spec, client: { ...outer, ...spec.client } } };
};

const isUrl = (address: string): boolean => /^https?:\/\//.test(address) && URL.canParse(address);

const onThisMachine = /^http:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:|\/|$)/;

/** Stores must use TLS, except on this machine: a token must not be sent in plain text. */
export const isSafeStoreAddress = (address: string): boolean => {
  const { protocol, href } = new URL(address);
  return protocol === 'https:' || onThisMachine.test(href);
};

const addressFault = (field: 'address' | 'agent_address', address: string): string | null => {
  if (!isUrl(address)) return `spec.client.${field} must be a URL (got "${address}")`;
  if (isSafeStoreAddress(address)) return null;
  return `spec.client.${field} must begin with https:// (got "${address}"); only a store on this machine may be used without TLS`;
};

const clientFault = (client: StoreClient | undefined): string | null => {
  if (client === undefined) return 'spec.client must be set';
  for (const field of ['address', 'token', 'version'] as const) {
    if (client[field] === '') return `spec.client.${field} must be set`;
  }
  const address =
    addressFault('address', client.address) ??
    (client.agent_address === '' ? null : addressFault('agent_address', client.agent_address));
  if (address !== null) return address;
  if (client.version !== 'v1' && client.version !== 'v2') {
    return `spec.client.version must be "v1" or "v2" (got "${client.version}")`;
  }
  const timeoutMs = parseDuration(client.timeout);
  if (timeoutMs === null || timeoutMs < 0) {
    return `spec.client.timeout must be a duration like "20s" (got "${client.timeout}")`;
  }
  return (client.rate_limiter?.limit ?? 0) < 0 ? 'spec.client.rate_limiter.limit must not be negative' : null;
};

export const validateSecretsProvider = (provider: SecretsProvider): string | null => {
  const known: readonly string[] = providerTypes;
  if (!known.includes(provider.type)) {
    const why = unsupported.includes(provider.type) ? 'is not supported here' : 'is unknown';
    return `type could not be found: "${provider.type}" ${why}; use one of ${providerTypes.join(', ')}`;
  }
  if (provider.api_version !== secretsApiVersion) {
    return `api_version must be "${secretsApiVersion}" (got "${provider.api_version}")`;
  }
  return (
    nameFault('provider name', provider.metadata.name) ??
    (provider.metadata.namespace ? 'secrets providers cannot have a namespace' : null) ??
    (provider.type === 'Env' ? null : clientFault(provider.spec.client))
  );
};
