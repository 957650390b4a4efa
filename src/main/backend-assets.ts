// Assets of the backend: where those of handlers, mutators and filters are kept, and the machine they are chosen for.
import { join } from 'node:path';
import type { Foundations } from '../actors/foundations.ts';
import { createAssetStore } from '../assets/asset-store.ts';
import { entitySchema } from '../model/entity.ts';
import type { TrustedAuthorities } from '../model/trusted-authorities.ts';
import { component, type Logger } from '../program/log.ts';
import { readSystemFacts } from '../program/system-facts.ts';
import type { BackendSettings } from './backend-flags.ts';

export const openBackendAssets = (
  settings: BackendSettings,
  authorities: TrustedAuthorities,
  name: string,
  log: Logger,
): NonNullable<Foundations['assets']> => {
  const { cacheDir, assetsRateLimit, assetsBurstLimit } = settings;
  return {
    entity: entitySchema.parse({
      metadata: { name },
      entity_class: 'backend',
      system: readSystemFacts({ stripNetworks: true, detectCloudProvider: false }),
    }),
    store: createAssetStore({
      cacheDir: join(cacheDir, 'assets'),
      ratePerSecond: assetsRateLimit,
      burst: assetsBurstLimit,
      clock: { monotonicMs: () => performance.now() },
      log: component(log, 'asset-manager'),
      authorities,
    }),
  };
};
