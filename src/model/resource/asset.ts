// Assets: archives of programs that checks, handlers and filters need at run time.
import { z } from 'zod';
import { expressionsFault } from '../expression-syntax.ts';
import { minSha512Characters } from '../limits.ts';
import { listOrNull, stringListOrNull, stringMap, text } from '../schema/quick-types.ts';
import { metadataSchema } from './metadata.ts';
import { assetNameFault } from './names.ts';

const headers = () =>
  stringMap()
    .nullish()
    .transform((map) => map ?? null);

const assetBuildSchema = z.object({
  url: text('').describe('Address of the archive.'),
  sha512: text('').describe('Its SHA-512 checksum, in hexadecimal.'),
  filters: stringListOrNull().describe('Expressions that must all hold of an entity.'),
  headers: headers().describe('HTTP headers of the request.'),
});

export const assetSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  url: text().optional().describe('Address of the archive, where there is one for all machines.'),
  sha512: text().optional().describe('SHA-512 checksum of the archive, in hexadecimal.'),
  /** Expressions evaluated against the entity before the asset is fetched. All must be true. */
  filters: stringListOrNull().describe(
    'Expressions that must all hold of an entity before the asset is fetched there.',
  ),
  /** The first build whose filters all match is used. */
  builds: listOrNull(assetBuildSchema).describe(
    'Archives for several kinds of machines; the first whose filters hold is taken.',
  ),
  headers: headers().describe('HTTP headers of the request for the archive.'),
});
export type Asset = z.infer<typeof assetSchema>;

interface Source {
  readonly url?: string | undefined;
  readonly sha512?: string | undefined;
  readonly filters: readonly string[] | null;
}

const sourceFault = ({ url = '', sha512 = '', filters }: Source): string | null => {
  if (sha512 === '') return 'SHA-512 checksum cannot be empty';
  if (sha512.length < minSha512Characters) {
    return `SHA-512 checksum must be at least ${minSha512Characters} characters`;
  }
  if (url === '') return 'URL cannot be empty';
  return expressionsFault(filters ?? []);
};

const sourcesFault = (asset: Asset): string | null => {
  if (asset.builds === null || asset.builds.length === 0) return sourceFault(asset);
  for (const build of asset.builds) {
    const why = sourceFault(build);
    if (why !== null) return why;
  }
  return null;
};

export const validateAsset = (asset: Asset): string | null => {
  const name = assetNameFault(asset.metadata.name);
  if (name !== null) return name;
  return sourcesFault(asset) ?? (asset.metadata.namespace ? null : 'namespace cannot be empty');
};
