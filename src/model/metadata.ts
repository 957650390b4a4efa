// Metadata: the block every resource carries (interface section 2.1).
import { z } from 'zod';
import { stringMap, text } from './quick-types.ts';

export const stringMapSchema = stringMap();

export const metadataSchema = z.object({
  name: text(''),
  namespace: text().optional(),
  labels: stringMapSchema.nullish(),
  annotations: stringMapSchema.nullish(),
  created_by: text().optional(),
});

export type Metadata = z.infer<typeof metadataSchema>;

export const emptyMetadata = (): Metadata => ({ name: '' });

/** Points at another resource, for instance a pipeline: `core/v2` `Pipeline` `incident`. */
export const resourceReferenceSchema = z.object({
  name: text(''),
  type: text('Pipeline'),
  api_version: text('core/v2'),
});

export type ResourceReference = z.infer<typeof resourceReferenceSchema>;
