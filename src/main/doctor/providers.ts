// Checks that the configured directories, OIDC issuers and secrets stores are reachable, with the backend's own clients.
import { connect } from 'node:net';
import { parseStoreKey } from '../../actors/resources/resource.ts';
import { createSealedCodec, sealedSegments } from '../../actors/resources/sealed-codec.ts';
import type { Vault } from '../../actors/resources/vault.ts';
import { bindAsService, openDirectory } from '../../http/auth/providers/directory-connection.ts';
import { createDiscovery } from '../../http/auth/providers/issuer.ts';
import { createTrustingFetch } from '../../http/auth/providers/trusting-fetch.ts';
import type { AuthProvider, DirectoryServer, OidcProvider } from '../../model/access/auth-provider.ts';
import type { TrustedAuthorities } from '../../model/access/trusted-authorities.ts';
import { errorText } from '../../program/log.ts';
import type { ExaminedStore } from '../../store/maintained-store.ts';
import { clockAheadMs, clockFinding } from './clock.ts';
import { examine, type Finding, fail, ok, type Probe, warn } from './finding.ts';
import { reachMs } from './limits.ts';

const area = 'provider';

interface Named {
  readonly metadata: { readonly name: string };
}

interface SecretsProvider extends Named {
  readonly type: string;
  readonly spec: { readonly client?: { readonly address?: string } | null };
}

const directory = async (
  name: string,
  server: DirectoryServer,
  authorities: TrustedAuthorities,
): Promise<Finding> => {
  const what = `${name}: directory ${server.host}:${server.port}`;
  try {
    const client = await openDirectory(server, authorities);
    try {
      await bindAsService(client, server);
    } finally {
      await client.unbind();
    }
    return ok(area, `${what} answers${server.binding === null ? '' : ', and takes the binding'}`);
  } catch (error) {
    return fail(area, `${what}: ${errorText(error)}`, 'correct the provider, or repair the directory');
  }
};

/** Logins fail when the clocks differ: ID tokens are valid for minutes. Issuers without a `Date` header are not compared. */
const issuerClock = async (server: string, authorities: TrustedAuthorities): Promise<readonly Finding[]> => {
  const address = `${server.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const signal = AbortSignal.timeout(reachMs);
  const aheadMs = await clockAheadMs(async () => {
    const answer = await createTrustingFetch(authorities)(address, {
      ...{ method: 'GET', headers: {}, body: null, redirect: 'manual', signal },
    });
    await answer.arrayBuffer();
    return Date.parse(answer.headers.get('date') ?? '');
  });
  return Number.isNaN(aheadMs) ? [] : [clockFinding(server, aheadMs)];
};

const issuer = async (
  provider: OidcProvider,
  authorities: TrustedAuthorities,
): Promise<readonly Finding[]> => {
  const what = `${provider.metadata.name}: issuer ${provider.spec.server}`;
  try {
    await createDiscovery(() => performance.now(), authorities)(provider);
    return [ok(area, `${what} answers`), ...(await issuerClock(provider.spec.server, authorities))];
  } catch (error) {
    return [fail(area, `${what}: ${errorText(error)}`, 'correct the provider, or mend the issuer')];
  }
};

const reaches = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(reachMs, () => socket.destroy(new Error(`no answer within ${reachMs} ms`)));
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });

const secretsStore = async ({ metadata, spec }: SecretsProvider): Promise<readonly Finding[]> => {
  const address = spec.client?.address;
  if (address === undefined) return [];
  const what = `${metadata.name}: secrets store ${address}`;
  try {
    const { hostname, port, protocol } = new URL(address);
    await reaches(hostname.replace(/^\[|\]$/g, ''), Number(port) || (protocol === 'http:' ? 80 : 443));
    return [ok(area, `${what} can be reached`)];
  } catch (error) {
    return [fail(area, `${what}: ${errorText(error)}`, 'correct the provider, or mend the secrets store')];
  }
};

const probesOf = (segment: string, resource: unknown, authorities: TrustedAuthorities): readonly Probe[] => {
  if (segment === 'providers') return [{ area, ask: () => secretsStore(resource as SecretsProvider) }];
  const provider = resource as AuthProvider;
  if (provider.type === 'oidc') return [{ area, ask: () => issuer(provider, authorities) }];
  const { name } = provider.metadata;
  return provider.spec.servers.map((server) => ({
    area,
    ask: async () => [await directory(name, server, authorities)],
  }));
};

/** Without the encryption key, providers with sealed credentials are skipped. */
export const providerFindings = async (
  store: Pick<ExaminedStore, 'examine'>,
  vault: Vault | undefined,
  authorities: TrustedAuthorities,
): Promise<readonly Finding[]> => {
  const probes: Probe[] = [];
  for (const segment of sealedSegments) {
    for await (const found of store.examine('resource', { prefix: `${segment}/` })) {
      if ('fault' in found) continue;
      const { name } = parseStoreKey(found.key);
      probes.push({
        area,
        ask: () => {
          if (vault === undefined)
            return [
              warn(
                area,
                `${name} was not asked: its passwords are sealed`,
                'run this where the encryption key is',
              ),
            ];
          const { resource } = createSealedCodec(segment, vault).decode(found.record.state, name);
          return examine(probesOf(segment, resource, authorities));
        },
      });
    }
  }
  return examine(probes);
};
