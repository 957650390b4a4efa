// A resource of the backend and one of a file, as texts that can be compared.
import { managedByCtlLabels } from '../../model/entity/reserved-labels.ts';
import type { Json } from '../client/api-client.ts';
import { asYaml } from '../output/documents.ts';
import type { Described } from './documents.ts';
import { asKept } from './offline-rules.ts';

/** Without what the backend and apply add: who writes a file does not write these. */
const asWritten = (resource: Json): Json => {
  if (resource.metadata === undefined) return resource;
  const { created_by: _author, labels, ...metadata } = resource.metadata as Json;
  const own = Object.entries((labels ?? {}) as Json).filter(
    ([label, value]) => managedByCtlLabels[label] !== value,
  );
  return {
    ...resource,
    metadata: { ...metadata, ...(own.length === 0 ? {} : { labels: Object.fromEntries(own) }) },
  };
};

/** A list that is empty, absent or null means the same to every kind. */
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Keys in one order: that of a file is its writer's. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => !isNothing(inner))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};

const textOf = (resource: Json, kind: Described['kind']): Promise<string> =>
  asYaml([sorted(asWritten(resource)) as Json], kind);

export interface Texts {
  /** Empty where the backend has none. */
  readonly before: string;
  readonly now: string;
}

/** `there`: the body of the backend's answer. */
export const comparable = async (resource: Described, there: string | undefined): Promise<Texts> => ({
  before: there === undefined ? '' : await textOf(JSON.parse(there) as Json, resource.kind),
  now: await textOf(asKept(resource) as Json, resource.kind),
});
