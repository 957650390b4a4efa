// Event filters: decide which events reach a handler.
import { z } from 'zod';
import { expressionsFault } from '../expression-syntax.ts';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault } from '../resource/names.ts';
import { stringList, stringListOrNull, text } from '../schema/quick-types.ts';
import { whenFault, whenSchema } from '../time/time-windows.ts';

/** Filters that exist in every namespace without a definition. They take precedence over resources of the same name. */
export const builtInFilters = [
  'is_incident',
  'not_silenced',
  'not_masked',
  'not_acknowledged',
  'has_metrics',
] as const;

export const eventFilterSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  /** `allow` or `deny`. */
  action: text('').meta({
    description: 'Whether events that match pass or are dropped.',
    'x-allowed': ['allow', 'deny'],
  }),
  expressions: stringList().describe(
    'JavaScript expressions over event; allow: all must hold; deny: dropped when one holds.',
  ),
  when: whenSchema.nullish().describe('Times at which the filter is asked.'),
  runtime_assets: stringListOrNull().describe('Names of assets with functions for the expressions.'),
});
export type EventFilter = z.infer<typeof eventFilterSchema>;

const actionFault = (action: string): string | null =>
  action === 'allow' || action === 'deny' ? null : `action '${action}' is not valid: use allow or deny`;

export const validateEventFilter = (filter: EventFilter): string | null =>
  nameFault('filter name', filter.metadata.name) ??
  actionFault(filter.action) ??
  (filter.expressions.length === 0 ? 'filter must have one or more expressions' : null) ??
  expressionsFault(filter.expressions) ??
  (filter.when ? whenFault(filter.when) : null) ??
  namespaceFault(filter.metadata.namespace);
