// Assets of the backend: the cache for assets of handlers, mutators and filters, and the machine they are selected
// for.
import { join } from 'node:path';
import type { Dependencies } from '../actors/compose/dependencies.ts';
import { type AssetStore, createAssetStore } from '../assets/asset-store.ts';
import type { TrustedAuthorities } from '../model/access/trusted-authorities.ts';
import { entitySchema } from '../model/entity/entity.ts';
import { component, errorText, type Logger } from '../program/log.ts';
import { readSystemFacts } from '../program/system-facts.ts';
import type { BackendSettings } from './backend-flags.ts';

/** Interval of asset cleanup. Assets used since the start are held, so the first cleanup runs after a day. */
const tidyIntervalMs = 86_400_000;

const tidyDaily = (store: AssetStore, keepUnusedMs: number, log: Logger): void => {
  if (keepUnusedMs === 0) return;
  const tidy = () => {
    store
      .purge(keepUnusedMs)
      .catch((error) => log.warn({ error: errorText(error) }, 'unable to clean up the asset cache'));
  };
  setInterval(tidy, tidyIntervalMs).unref();
};

export const openBackendAssets = (
  settings: BackendSettings,
  authorities: TrustedAuthorities,
  name: string,
  log: Logger,
): NonNullable<Dependencies['assets']> => {
  const { cacheDir, assetsRateLimit, assetsBurstLimit, assetsKeepUnused } = settings;
  const ownLog = component(log, 'asset-manager');
  const store = createAssetStore({
    cacheDir: join(cacheDir, 'assets'),
    ratePerSecond: assetsRateLimit,
    burst: assetsBurstLimit,
    clock: { monotonicMs: () => performance.now() },
    log: ownLog,
    authorities,
  });
  tidyDaily(store, assetsKeepUnused, ownLog);
  return {
    entity: entitySchema.parse({
      metadata: { name },
      entity_class: 'backend',
      system: readSystemFacts({ stripNetworks: true, detectCloudProvider: false }),
    }),
    store,
  };
};
