// Sealed resources: providers hold passwords and tokens of other systems, so their records are sealed. Records of earlier
// versions are plain and still read.
import type { Resource, ResourceCodec } from './resource.ts';
import { isSealed, type Vault } from './vault.ts';

/** Kinds whose records are sealed. */
export const sealedSegments = ['authproviders', 'providers'] as const;

const nameOf = (resource: Resource): string => (resource as { metadata: { name: string } }).metadata.name;

export const createSealedCodec = (segment: string, vault: Vault): ResourceCodec => ({
  storedName: (name) => name,
  encode: (resource, name) => vault.seal(`${segment}/${name}`, JSON.stringify(resource)),
  decode: (state, name) => {
    const resource = isSealed(state)
      ? (JSON.parse(vault.open(`${segment}/${name}`, state)) as Resource)
      : (state as Resource);
    return { name: nameOf(resource), resource };
  },
  isCurrent: (state) => isSealed(state) && vault.isCurrent(state),
});
