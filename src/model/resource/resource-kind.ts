// Defines a kind of resource. Routes, permissions, selectors, documentation and the command line are derived from
// one table of kinds (`resource-kinds.ts`).
import type { z } from 'zod';
import { toWireMetadata, withoutEmpty } from '../event/wire-shape.ts';
import { type Decoded, decode } from '../schema/decode.ts';
import { conceal, restoreConcealed, type SecretPath } from './concealment.ts';
import { isWrapped, readWrapped, unwrap } from './wrapped.ts';

/** A resource of any kind. */
export type Resource = Readonly<Record<string, unknown>>;

/** `list` covers one namespace (or a cluster-wide kind); `listAll` covers all namespaces. */
export type Operation = 'list' | 'listAll' | 'create' | 'get' | 'put' | 'patch' | 'delete';

/** `generic`: plain create, read, replace, patch and delete. All others have their own routes. */
type RouteStyle =
  | 'generic'
  | 'access'
  | 'event'
  | 'apiKey'
  | 'check'
  | 'entity'
  | 'silenced'
  | 'namespace'
  | 'user'
  | 'authProvider'
  | 'secretsProvider'
  | 'secret';

export interface ResourceKind {
  /** The type of the wrapped form, e.g. `CheckConfig`. */
  readonly type: string;
  /** All types of this kind. More than one if the type selects a variant (`ldap`, `ad`, `oidc`). */
  readonly types: readonly string[];
  /** e.g. `core/v2` */
  readonly apiVersion: string;
  /** The path before the namespace and the kind's path segment, e.g. `/api/core/v2`. */
  readonly basePath: string;
  /** The path segment, e.g. `checks`. */
  readonly path: string;
  /** The resource name in RBAC rules; currently the same as `path` for all kinds. */
  readonly rbacResource: string;
  readonly namespaced: boolean;
  /**
   * True if HTTP bodies use the wrapped form. The resource then has the shape `{type, api_version, metadata, spec}`
   * internally as well.
   */
  readonly wrapped: boolean;
  readonly routes: RouteStyle;
  readonly operations: ReadonlySet<Operation>;
  /** One line for the documentation and the OpenAPI document. */
  readonly summary: string;
  readonly schema: z.ZodType;
  /** Body fields that are read even though the schema does not list them at this place. */
  readonly alsoKnown: ReadonlySet<string>;
  /** The part before the dot in selector fields, e.g. `check` in `check.publish`. */
  readonly selectorPrefix: string;
  /** Checks types and fills in defaults; error messages name the field. */
  decode(raw: unknown): Decoded<Resource>;
  /** The first failing rule, or null. */
  validate(resource: Resource): string | null;
  /** The last part of the URI; `<entity>/<check>` for events. */
  name(resource: Resource): string;
  /** Empty for cluster-wide resources and if not set. */
  namespace(resource: Resource): string;
  /** Field selectors: full field names mapped to string values. */
  fields(resource: Resource): Record<string, string>;
  /** One selector field by its full name, without computing the others; undefined if it does not exist. */
  field(resource: Resource, name: string): string | undefined;
  /** Label selectors. */
  labels(resource: Resource): Record<string, string>;
  /** The resource as returned to clients: empty optional keys are removed and secrets hidden. */
  toWire(resource: Resource): Record<string, unknown>;
  /** Restores stored secrets where a client sent the placeholder. Called before `validate` on every write. */
  keepSecrets(resource: Resource, stored: Resource | undefined): Resource;
}

/** One row of the table. Omitted properties are derived. */
export interface KindRow<T> {
  readonly type: string;
  readonly types?: readonly string[];
  readonly apiVersion?: string;
  readonly path: string;
  readonly summary: string;
  readonly namespaced: boolean;
  readonly wrapped?: boolean;
  readonly routes?: RouteStyle;
  readonly operations: readonly Operation[];
  readonly schema: z.ZodType<T>;
  readonly alsoKnown?: readonly string[];
  readonly selectorPrefix: string;
  /** The first part of the path in type errors, e.g. `check` in `check.interval must be ...`. */
  readonly subject: string;
  readonly decode?: (raw: unknown) => Decoded<T>;
  readonly validate: (resource: T) => string | null;
  readonly name?: (resource: T) => string;
  readonly namespace?: (resource: T) => string;
  readonly fields?: (resource: T) => Record<string, unknown>;
  /** One entry of `fields`, for kinds with many items where computing all fields is slow. */
  readonly field?: (resource: T, name: string) => unknown;
  /** Labels visible to selectors. They must not reveal what readers cannot see. Default: the labels of the metadata. */
  readonly labels?: (resource: T) => Record<string, string>;
  /** Keys that are omitted from responses when empty. */
  readonly optionalKeys?: readonly string[];
  /** Keys that are never returned. */
  readonly hiddenKeys?: readonly string[];
  readonly toWire?: (resource: T) => Record<string, unknown>;
  readonly secretPaths?: readonly SecretPath[];
}

interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>> | null;
}

export const metadataOf = (resource: unknown): Metadata =>
  ((resource as { readonly metadata?: Metadata }).metadata ?? {}) as Metadata;

/** Values as compared by selectors: lists are joined with commas, absent values are empty. */
const selectable = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
};

const basePathOf = (apiVersion: string): string =>
  apiVersion === 'core/v2' ? '/api/core/v2' : `/api/enterprise/${apiVersion}`;

const fieldsOf = <T>(row: KindRow<T>, resource: T, name: string, namespace: string) => {
  const prefix = row.selectorPrefix;
  const fields: Record<string, string> = { [`${prefix}.name`]: name };
  if (row.namespaced) fields[`${prefix}.namespace`] = namespace;
  for (const [label, value] of Object.entries(row.labels?.(resource) ?? metadataOf(resource).labels ?? {})) {
    fields[`${prefix}.labels.${label}`] = value;
  }
  for (const [field, value] of Object.entries(row.fields?.(resource) ?? {})) {
    fields[`${prefix}.${field}`] = selectable(value);
  }
  return fields;
};

const fieldReader = <T>(
  row: KindRow<T>,
  nameOf: (resource: T) => string,
  namespaceOf: (resource: T) => string,
): ((resource: T, name: string) => string | undefined) => {
  const { field, selectorPrefix } = row;
  if (field === undefined)
    return (resource, name) => {
      const all = fieldsOf(row, resource, nameOf(resource), namespaceOf(resource));
      return Object.hasOwn(all, name) ? all[name] : undefined;
    };
  const start = `${selectorPrefix}.`;
  return (resource, name) => {
    if (!name.startsWith(start)) return undefined;
    const own = name.slice(start.length);
    if (own === 'namespace') return namespaceOf(resource);
    const found = field(resource, own);
    return found === undefined ? undefined : selectable(found);
  };
};

const wireOf = <T>(row: KindRow<T>) => {
  const optional: ReadonlySet<string> = new Set(row.optionalKeys ?? []);
  const hidden = row.hiddenKeys ?? [];
  return (resource: T): Record<string, unknown> => {
    const shape = row.toWire?.(resource) ?? withoutEmpty(resource as object, optional);
    for (const key of hidden) delete shape[key];
    if (shape.metadata) shape.metadata = toWireMetadata(shape.metadata);
    return conceal(shape, row.secretPaths ?? []);
  };
};

/** Core kinds use unwrapped bodies. A wrapped body of the right type is accepted too, since files use that form. */
const decodePlain = <T>(row: KindRow<T>, raw: unknown): Decoded<T> => {
  if (row.wrapped || !isWrapped(raw)) return decode(row.schema, raw, row.subject);
  const wrapped = readWrapped(raw);
  if (!wrapped.ok) return wrapped;
  if (wrapped.value.type !== row.type) {
    return { ok: false, message: `type must be "${row.type}" (got "${wrapped.value.type}")` };
  }
  return decode(row.schema, unwrap(wrapped.value), row.subject);
};

/**
 * Creates a kind from a row. Rows have different resource types and the table has one; only this function erases
 * the type, so a kind must be called with its own resources only.
 */
export const defineKind = <T>(row: KindRow<T>): ResourceKind => {
  const apiVersion = row.apiVersion ?? 'core/v2';
  const nameOf = row.name ?? ((resource: T) => metadataOf(resource).name ?? '');
  const namespaceOf = row.namespace ?? ((resource: T) => metadataOf(resource).namespace ?? '');
  const decodeRow = row.decode ?? ((raw: unknown) => decodePlain(row, raw));
  const toWire = wireOf(row);
  const own = (resource: Resource): T => resource as T;
  return {
    type: row.type,
    types: row.types ?? [row.type],
    apiVersion,
    basePath: basePathOf(apiVersion),
    path: row.path,
    rbacResource: row.path,
    namespaced: row.namespaced,
    wrapped: row.wrapped ?? false,
    routes: row.routes ?? 'generic',
    operations: new Set(row.operations),
    summary: row.summary,
    schema: row.schema,
    alsoKnown: new Set(row.alsoKnown ?? []),
    selectorPrefix: row.selectorPrefix,
    decode: (raw) => decodeRow(raw) as Decoded<Resource>,
    validate: (resource) => row.validate(own(resource)),
    name: (resource) => nameOf(own(resource)),
    namespace: (resource) => namespaceOf(own(resource)),
    fields: (resource) => fieldsOf(row, own(resource), nameOf(own(resource)), namespaceOf(own(resource))),
    field: fieldReader(row, nameOf, namespaceOf) as ResourceKind['field'],
    labels: (resource) => row.labels?.(own(resource)) ?? { ...metadataOf(resource).labels },
    toWire: (resource) => toWire(own(resource)),
    keepSecrets: (resource, stored) =>
      row.secretPaths === undefined ? resource : restoreConcealed(resource, stored, row.secretPaths),
  };
};
