// Warnings about lists that are empty for no reason that the reader can see: of a namespace that does not exist, or by a
// selector with a field that no item of the kind has, which matches as if the field were absent.
import type { ResourceKind } from '../model/resource/resource-kind.ts';
import { parseSelectors } from '../model/resource/selectors.ts';
import { nearestName } from '../model/resource/unknown-fields.ts';
import type { BackendPort } from './backend-port.ts';
import { examples } from './openapi/examples.ts';
import type { Call, Route } from './route.ts';

const known = new Map<string, readonly string[]>();

/** All fields of a kind that selectors can use, except labels. */
const fieldsOf = (kind: ResourceKind): readonly string[] => {
  const found = known.get(kind.path);
  if (found !== undefined) return found;
  const decoded = kind.decode(structuredClone(examples[kind.path]));
  const fields = decoded.ok ? Object.keys(kind.fields(decoded.value)) : [];
  known.set(kind.path, fields);
  return fields;
};

/** The kind a request lists; undefined for all other requests. */
const kindListed = ({ method, doc }: Pick<Route, 'method' | 'doc'>): ResourceKind | undefined => {
  const shape = method === 'GET' ? doc.answers[200]?.shape : undefined;
  return shape?.type === 'list' ? shape.kind : undefined;
};

const describe = (kind: ResourceKind, field: string): string => {
  const nearest = nearestName(field, fieldsOf(kind));
  const hint = nearest === undefined ? '' : `, did you mean ${nearest}?`;
  return `fieldSelector: ${kind.path} have no field ${field}${hint}`;
};

/** Of whatever is read there: the reference product answers with an empty list, and so do we. */
export const namespaceWarnings = (
  { resources }: Pick<BackendPort, 'resources'>,
  { method }: Pick<Route, 'method'>,
  { parameters: { namespace } }: Pick<Call, 'parameters'>,
): readonly string[] =>
  namespace === undefined || method !== 'GET' || resources.hasNamespace(namespace)
    ? []
    : [`the namespace ${namespace} does not exist`];

/** One sentence per unknown field. */
export const selectorWarnings = (
  route: Pick<Route, 'method' | 'doc'>,
  { query: { fieldSelector: asked } }: Pick<Call, 'query'>,
): readonly string[] => {
  const kind = asked === undefined ? undefined : kindListed(route);
  if (kind === undefined) return [];
  const reading = parseSelectors([asked ?? []].flat());
  if (!reading.ok) return [];
  const fields = fieldsOf(kind);
  const labels = `${kind.selectorPrefix}.labels.`;
  const unknown = reading.selector
    .map(({ field }) => field)
    .filter((field) => !fields.includes(field) && !field.startsWith(labels));
  return [...new Set(unknown)].map((field) => describe(kind, field));
};
