// Resolves secret references of checks, handlers and mutators to values, immediately before use and without
// caching. Values never appear in logs, errors or API responses.

import type { Secret } from '../model/access/secret.ts';
import type { SecretsProvider } from '../model/access/secrets-provider.ts';
import { runtimeAuthorities, type TrustedAuthorities } from '../model/access/trusted-authorities.ts';
import { MonError } from '../model/errors.ts';
import { isBackendSetting } from '../model/process-environment.ts';
import { addressOf, type StoreVersion, valueIn } from './secret-id.ts';
import { connectStore, type StoreAnswer, type StoreConnection } from './store-client.ts';

/** An environment variable and the Secret resource that provides its value. */
interface SecretReference {
  readonly name: string;
  readonly secret: string;
}

/** The part of the resource table used here. */
export interface SecretsTable {
  get(segment: string, namespace: string, name: string): unknown;
  count(segment: string): number;
}

export interface Secrets {
  /**
   * `NAME=value` in order, without empty values; fails on the first missing secret. Rejects with a MonError:
   * `unavailable` (retry) if a provider cannot be reached, `notFound` or `invalid` if the reference is wrong.
   */
  resolve(namespace: string, references: readonly SecretReference[]): Promise<readonly string[]>;
  /**
   * The same for a check request: only for an agent with a verified client certificate.
   * Rejects with `permissionDenied` for other agents.
   */
  resolveForAgent(
    agent: { readonly mutualTls: boolean },
    namespace: string,
    references: readonly SecretReference[],
  ): Promise<readonly string[]>;
  /** Requests waiting for the rate limit of their provider. */
  readonly waiting: number;
  /** Closes connections. */
  close(): void;
}

interface Connected {
  readonly provider: SecretsProvider;
  readonly trusted: ReturnType<TrustedAuthorities>;
  readonly store: StoreConnection;
}

const secretsSegment = 'secrets';
const providersSegment = 'providers';

interface Asked {
  /** Of the secret. */
  readonly name: string;
  readonly providerName: string;
  readonly path: string;
  readonly key: string;
  readonly version: StoreVersion;
}

/** The value in the answer of a provider. Throws a MonError if there is none. */
const valueFrom = (answer: StoreAnswer, { name, providerName, path, key, version }: Asked): string => {
  switch (answer.type) {
    case 'found': {
      const value = valueIn(answer.body, key, version);
      if (value === undefined)
        throw new MonError(
          'notFound',
          `secret not found: ${name}: the secret at ${path} in provider ${providerName} has no field ${key}`,
        );
      return value;
    }
    case 'missing':
      throw new MonError(
        'notFound',
        `secret not found: ${name}: provider ${providerName} has no secret at ${path}`,
      );
    case 'refused':
      throw new MonError('permissionDenied', `secret provider not available: ${providerName}: ${answer.why}`);
    case 'outage':
      throw new MonError('unavailable', `secret provider not available: ${providerName}: ${answer.why}`);
  }
};

/** A secret of the provider of type Env. Throws a MonError if it may not be read or is not set. */
const variableOf = (env: Readonly<Record<string, string | undefined>>, name: string, id: string): string => {
  if (isBackendSetting(id))
    throw new MonError(
      'permissionDenied',
      `secret ${name} refers to the variable ${id}, a backend setting, which cannot be used as a secret; use a variable of another name`,
    );
  const value = env[id];
  if (value === undefined)
    throw new MonError(
      'notFound',
      `secret not found: ${name}: the backend has no environment variable ${id}`,
    );
  return value;
};

export const createSecrets = (
  table: SecretsTable,
  env: Readonly<Record<string, string | undefined>>,
  monotonicMs: () => number = () => performance.now(),
  authorities: TrustedAuthorities = runtimeAuthorities,
): Secrets => {
  /**
   * Store clients by provider name, with the configuration they were created for. A changed provider or changed
   * authorities cause a reconnect.
   */
  const stores = new Map<string, Connected>();
  /** Pending requests, so that concurrent handlers share one request per secret. */
  const underWay = new Map<string, Promise<string>>();

  const storeOf = (provider: SecretsProvider): StoreConnection => {
    const { name } = provider.metadata;
    const known = stores.get(name);
    const trusted = authorities();
    if (known?.provider === provider && known.trusted === trusted) return known.store;
    known?.store.close();
    stores.delete(name);
    const { client } = provider.spec;
    try {
      if (client === undefined) throw new Error('spec.client is missing');
      const store = connectStore(client, monotonicMs, () => trusted);
      stores.set(name, { provider, trusted, store });
      return store;
    } catch (error) {
      throw new MonError(
        'unavailable',
        `secret provider not available: ${name}: ${(error as Error).message}`,
      );
    }
  };

  const fetchFrom = async (provider: SecretsProvider, secret: Secret): Promise<string> => {
    const { name } = secret.metadata;
    const { id, provider: providerName } = secret.spec;
    const version = (provider.spec.client?.version ?? 'v1') as StoreVersion;
    const address = addressOf(id, version);
    if (address === null)
      throw new MonError('invalid', `invalid secret info: ${name}: its id must be like path/to/secret#key`);
    const answer = await storeOf(provider).get(address.path);
    return valueFrom(answer, { name, providerName, path: address.path, key: address.key, version });
  };

  const readValue = async (namespace: string, name: string): Promise<string> => {
    const secret = table.get(secretsSegment, namespace, name) as Secret | undefined;
    if (secret === undefined)
      throw new MonError(
        'notFound',
        `secret not found: ${name}: there is no secret of this name in namespace ${namespace}`,
      );
    const { id, provider: providerName } = secret.spec;
    if (table.count(providersSegment) === 0)
      throw new MonError('notFound', `no secret provider defined (secret ${name} refers to ${providerName})`);
    const provider = table.get(providersSegment, '', providerName) as SecretsProvider | undefined;
    if (provider === undefined)
      throw new MonError(
        'notFound',
        `secret provider not found: ${providerName} (referred to by secret ${name})`,
      );
    if (provider.type === 'Env') {
      return variableOf(env, name, id);
    }
    const key = JSON.stringify([providerName, id]);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const mine = fetchFrom(provider, secret).finally(() => underWay.delete(key));
    underWay.set(key, mine);
    return mine;
  };

  const resolve: Secrets['resolve'] = async (namespace, references) => {
    const found: string[] = [];
    for (const { name, secret } of references) {
      if (name === '' || secret === '')
        throw new MonError(
          'invalid',
          `invalid secret info: ${name || secret || 'a name and a secret are needed'}`,
        );
      const value = await readValue(namespace, secret);
      if (value !== '') found.push(`${name}=${value}`);
    }
    return found;
  };

  return {
    resolve,
    async resolveForAgent({ mutualTls }, namespace, references) {
      if (references.length === 0) return [];
      if (!mutualTls)
        throw new MonError(
          'permissionDenied',
          'secrets are sent only to agents that use mutual TLS; this agent has no certificate from a trusted authority',
        );
      return resolve(namespace, references);
    },
    get waiting() {
      return [...stores.values()].reduce((sum, { store }) => sum + store.waiting, 0);
    },
    close() {
      for (const { store } of stores.values()) store.close();
      stores.clear();
    },
  };
};
