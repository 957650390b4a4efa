// Opens the resource table at boot: the backend's secret first, since API keys are sealed with it, then everything else.
import { createApiKeyCodec } from './api-key-codec.ts';
import { loadBackendSecret } from './backend-secret.ts';
import { ResourceTable, type ResourceTableOptions } from './resource-table.ts';

export interface OpenResources {
  readonly table: ResourceTable;
  /** What tokens are signed with. */
  readonly secret: Uint8Array;
}

/** Rejects with a MonError when the store cannot be read. */
export const openResources = async (
  options: Omit<ResourceTableOptions, 'codecs'>,
): Promise<OpenResources> => {
  const secret = await loadBackendSecret(options.committer);
  const table = new ResourceTable({ ...options, codecs: { apikeys: createApiKeyCodec(secret) } });
  await table.load();
  return { table, secret };
};
