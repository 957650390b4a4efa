// Namespaces: isolate teams from each other. The only resource without metadata.
import { z } from 'zod';
import { text } from '../schema/quick-types.ts';
import { nameFault } from './names.ts';

export const namespaceSchema = z.object({ name: text('').describe('Name of the namespace.') });
export type Namespace = z.infer<typeof namespaceSchema>;

export const validateNamespace = (namespace: Namespace): string | null =>
  nameFault('namespace name', namespace.name);
