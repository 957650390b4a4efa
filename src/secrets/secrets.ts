// Secrets: from the reference in a check, handler or mutator to its value, just before it is used and kept nowhere.
// Values never reach a log, an error or an answer of the API.
import { MonError } from '../model/errors.ts';
import { isBackendSetting } from '../model/process-environment.ts';
import type { Secret } from '../model/secret.ts';
import type { SecretsProvider } from '../model/secrets-provider.ts';
import { runtimeAuthorities, type TrustedAuthorities } from '../model/trusted-authorities.ts';
import { addressOf, type StoreVersion, valueIn } from './secret-id.ts';
import { connectStore, type StoreConnection } from './store-client.ts';

/** Names an environment variable and the Secret resource whose value it gets. */
export interface SecretReference {
  readonly name: string;
  readonly secret: string;
}

/** The part of the resource table that is needed. */
export interface SecretsTable {
  get(segment: string, namespace: string, name: string): unknown;
  count(segment: string): number;
}

export interface Secrets {
  /**
   * `NAME=value` in order, empty values left out; the first that cannot be had ends it. Rejects with a MonError:
   * `unavailable` (retry) where a provider is out of reach, `notFound` or `invalid` where the reference is wrong.
   */
  resolve(namespace: string, references: readonly SecretReference[]): Promise<readonly string[]>;
  /**
   * The same for a check request: only for an agent that proved itself with a certificate (interface section 5.5).
   * Rejects with `permissionDenied` for any other that is to get secrets.
   */
  resolveForAgent(
    agent: { readonly mutualTls: boolean },
    namespace: string,
    references: readonly SecretReference[],
  ): Promise<readonly string[]>;
  /** Requests to stores that wait for the rate limit of their provider. */
  readonly waiting: number;
  /** Lets go of connections. */
  close(): void;
}

interface Connected {
  readonly provider: SecretsProvider;
  readonly trusted: ReturnType<TrustedAuthorities>;
  readonly store: StoreConnection;
}

const secretsSegment = 'secrets';
const providersSegment = 'providers';

export const createSecrets = (
  table: SecretsTable,
  env: Readonly<Record<string, string | undefined>>,
  monotonicMs: () => number = () => performance.now(),
  authorities: TrustedAuthorities = runtimeAuthorities,
): Secrets => {
  /** By name; what it was made for, so that a changed provider, or one that others vouch for now, is connected anew. */
  const stores = new Map<string, Connected>();
  /** Fetches under way: a hundred handlers that fire together ask once. */
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
    switch (answer.type) {
      case 'found': {
        const value = valueIn(answer.body, address.key, version);
        if (value === undefined)
          throw new MonError(
            'notFound',
            `secret not found: ${name}: what provider ${providerName} holds at ${address.path} has no field ${address.key}`,
          );
        return value;
      }
      case 'missing':
        throw new MonError(
          'notFound',
          `secret not found: ${name}: provider ${providerName} holds nothing at ${address.path}`,
        );
      case 'refused':
        throw new MonError(
          'permissionDenied',
          `secret provider not available: ${providerName}: ${answer.why}`,
        );
      case 'outage':
        throw new MonError('unavailable', `secret provider not available: ${providerName}: ${answer.why}`);
    }
  };

  const readValue = async (namespace: string, name: string): Promise<string> => {
    const secret = table.get(secretsSegment, namespace, name) as Secret | undefined;
    if (secret === undefined)
      throw new MonError(
        'notFound',
        `secret not found: ${name}: the namespace ${namespace} has no secret of this name`,
      );
    const { id, provider: providerName } = secret.spec;
    if (table.count(providersSegment) === 0)
      throw new MonError('notFound', `no secret provider defined (secret ${name} names ${providerName})`);
    const provider = table.get(providersSegment, '', providerName) as SecretsProvider | undefined;
    if (provider === undefined)
      throw new MonError('notFound', `secret provider not found: ${providerName} (named by secret ${name})`);
    if (provider.type === 'Env') {
      if (isBackendSetting(id))
        throw new MonError(
          'permissionDenied',
          `secret ${name} names the variable ${id}, a setting of the backend: those are not handed out; use a variable of another name`,
        );
      const value = env[id];
      if (value === undefined)
        throw new MonError(
          'notFound',
          `secret not found: ${name}: the backend has no environment variable ${id}`,
        );
      return value;
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
          'secrets are sent only to agents that use mutual TLS; this one showed no certificate of an authority we trust',
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
