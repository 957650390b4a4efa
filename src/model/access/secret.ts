// Secrets: references to values in a secrets provider; the values are never stored. Always in wrapped form.
import { z } from 'zod';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault } from '../resource/names.ts';
import { text } from '../schema/quick-types.ts';

export const secretsApiVersion = 'secrets/v1';

export const secretSchema = z.object({
  type: text('Secret').describe('Always Secret.'),
  api_version: text(secretsApiVersion).describe('Always secrets/v1.'),
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  spec: z
    .object({
      id: text('').describe('What the provider calls it: a variable, or path#key.'),
      provider: text('').describe('Name of the secrets provider.'),
    })
    .default({ id: '', provider: '' })
    .describe('Where the secret is.'),
});
export type Secret = z.infer<typeof secretSchema>;

/** The provider does not have to exist yet; it is looked up when the secret is used. */
export const validateSecret = (secret: Secret): string | null =>
  (secret.type === 'Secret' ? null : `type could not be found: "${secret.type}", expected "Secret"`) ??
  nameFault('secret name', secret.metadata.name) ??
  namespaceFault(secret.metadata.namespace) ??
  (secret.spec.id === '' ? 'secret id must be set' : null) ??
  (secret.spec.provider === '' ? 'secret provider must be set' : null);
