// Opens the resource table at boot: the backend's secret first, since API keys are sealed with it, then everything else.
import { createApiKeyCodec } from './api-key-codec.ts';
import { loadBackendSecret } from './backend-secret.ts';
import { ResourceTable, type ResourceTableOptions } from './resource-table.ts';
import { createSealedCodec, sealedSegments } from './sealed-codec.ts';

export interface OpenResources {
  readonly table: ResourceTable;
  /** What tokens are signed with. */
  readonly secret: Uint8Array;
}

export interface OpenResourcesOptions extends Omit<ResourceTableOptions, 'codecs'> {
  /**
   * The keys that are not in the store. Told whether the store holds something sealed: then new keys would open none of it.
   * Without it nothing is sealed.
   */
  readonly encryptionKeys?: ((isStoreSealed: boolean) => readonly Uint8Array[]) | undefined;
}

/** Rejects with a MonError when the store cannot be read, with a VaultError when the keys do not open what is in it. */
export const openResources = async ({
  encryptionKeys,
  ...options
}: OpenResourcesOptions): Promise<OpenResources> => {
  const { secret, vault } = await loadBackendSecret(options.committer, encryptionKeys, options.onFault);
  const sealed =
    vault === undefined
      ? []
      : sealedSegments.map((segment) => [segment, createSealedCodec(segment, vault)] as const);
  const table = new ResourceTable({
    ...options,
    codecs: { apikeys: createApiKeyCodec(secret), ...Object.fromEntries(sealed) },
  });
  await table.load();
  return { table, secret };
};
