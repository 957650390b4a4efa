// Metadata: the block that every resource has.
import { z } from 'zod';
import { stringMap, text } from '../schema/quick-types.ts';

export const stringMapSchema = stringMap();

export const metadataSchema = z.object({
  name: text('').describe(
    'Unique among resources of its kind, in its namespace where the kind has namespaces.',
  ),
  namespace: text().optional().describe('The namespace it is in.'),
  labels: stringMapSchema
    .nullish()
    .describe('Names and values that selectors, filters and commands can use.'),
  annotations: stringMapSchema
    .nullish()
    .describe('Names and values for people and programs; commands get them, selectors do not.'),
  created_by: text().optional().describe('Who wrote it last; set by the backend.'),
});

export type Metadata = z.infer<typeof metadataSchema>;

/** A reference to another resource, e.g. the pipeline `core/v2` `Pipeline` `incident`. */
export const resourceReferenceSchema = z.object({
  name: text('').describe('Name of the resource.'),
  type: text('Pipeline').describe('Its type.'),
  api_version: text('core/v2').describe('Its API version.'),
});

export type ResourceReference = z.infer<typeof resourceReferenceSchema>;
