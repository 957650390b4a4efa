// Cells of tables and detail views: what a title shows of a resource. A title means the same in every kind that has it.
import type { Json } from '../client/api-client.ts';
import { number, text, timestamp, yesNo } from '../output/values.ts';

export type Cell = (resource: Json) => string;

/** The objects in a list; none where there is no list. */
export const itemsAt = (resource: Json, key: string): readonly Json[] =>
  (resource[key] as Json[] | null | undefined) ?? [];

const count =
  (key: string): Cell =>
  (resource) =>
    String(itemsAt(resource, key).length);

export const commonCells: Readonly<Record<string, Cell>> = {
  Name: text('metadata.name'),
  Namespace: text('metadata.namespace'),
  Type: text('type'),
  Command: text('command'),
  Timeout: number('timeout'),
  'Stdin?': yesNo('stdin'),
  Subscriptions: text('subscriptions'),
  Handlers: text('handlers'),
  Filters: text('filters'),
  Mutator: text('mutator'),
  'Environment Variables': text('env_vars'),
  Assets: text('runtime_assets'),
  'Runtime Assets': text('runtime_assets'),
  Username: text('username'),
  Groups: text('groups'),
  Rules: count('rules'),
  Subjects: count('subjects'),
  'Created At': ({ created_at }) => timestamp(created_at),
};
