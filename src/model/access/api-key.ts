// API keys: a user's key for programs. Its name is a UUID and is the key itself.
import { z } from 'zod';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault } from '../resource/names.ts';
import { integer, text } from '../schema/quick-types.ts';

export const apiKeySchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  username: text('').describe('User whose rights the key has.'),
  /** Seconds. */
  created_at: integer(0).meta({ description: 'When it was made.', 'x-unit': 'seconds since 1970' }),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

export const validateApiKey = (key: ApiKey): string | null =>
  (key.metadata.namespace ? 'api key cannot have a namespace' : null) ??
  (key.username === '' ? 'api key must have a username' : null) ??
  nameFault('api key name', key.metadata.name);
