// What a kind of resource is, so that routes, permissions, selectors, documents and the command line can be made from
// one table (`resource-kinds.ts`) instead of twenty hand-written copies.
import type { z } from 'zod';
import { conceal, restoreConcealed, type SecretPath } from './concealment.ts';
import { type Decoded, decode } from './decode.ts';
import { toWireMetadata, withoutEmpty } from './wire-shape.ts';
import { isWrapped, readWrapped, unwrap } from './wrapped.ts';

/** Any resource: its kind knows more. */
export type Resource = Readonly<Record<string, unknown>>;

/** `list` is of one namespace (or of what has none); `listAll` is across namespaces. */
export type Operation = 'list' | 'listAll' | 'create' | 'get' | 'put' | 'patch' | 'delete';

/**
 * `generic`: plain create, read, replace, patch, delete. Anything else has routes of its own, see the named section
 * of the API sheet: access (roles and bindings) 4.3, event 8, apiKey 9.1, check 9.2, entity 9.3, silenced 9.4, namespace 9.5, user 9.6,
 * authProvider 11, secretsProvider and secret 12.
 */
export type RouteStyle =
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
  /** Every type this kind answers to; more than one where the type says which sort it is (`ldap`, `ad`, `oidc`). */
  readonly types: readonly string[];
  /** e.g. `core/v2` */
  readonly apiVersion: string;
  /** Everything before the namespace and the path segment, e.g. `/api/core/v2`. */
  readonly basePath: string;
  /** The path segment, e.g. `checks`. */
  readonly path: string;
  /** What rules call it; the same as `path` for all kinds so far. */
  readonly rbacResource: string;
  readonly namespaced: boolean;
  /** True where HTTP bodies are in wrapped form; the resource is then `{type, api_version, metadata, spec}` inside too. */
  readonly wrapped: boolean;
  readonly routes: RouteStyle;
  readonly operations: ReadonlySet<Operation>;
  /** One line for people and for the OpenAPI document. */
  readonly summary: string;
  readonly schema: z.ZodType;
  /** Fields of a body that are read although the schema does not name them in this place. */
  readonly alsoKnown: ReadonlySet<string>;
  /** What stands before the dot of its selector fields, e.g. `check` in `check.publish`. */
  readonly selectorPrefix: string;
  /** Types and defaults; the message names the field. */
  decode(raw: unknown): Decoded<Resource>;
  /** The first broken rule, or null. */
  validate(resource: Resource): string | null;
  /** The last part of its address; `<entity>/<check>` for events. */
  name(resource: Resource): string;
  /** Empty for cluster-wide resources and where it is not set. */
  namespace(resource: Resource): string;
  /** Field selectors, complete names to values as text. */
  fields(resource: Resource): Record<string, string>;
  /** One of them by its complete name, found without making the others; undefined when there is none. */
  field(resource: Resource, name: string): string | undefined;
  /** Label selectors. */
  labels(resource: Resource): Record<string, string>;
  /** What readers get: optional keys leave when empty, secrets are hidden. */
  toWire(resource: Resource): Record<string, unknown>;
  /** Puts stored secrets back where a client sent the placeholder; asked before `validate` on every write. */
  keepSecrets(resource: Resource, stored: Resource | undefined): Resource;
}

/** One row of the table. What is left out is worked out. */
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
  /** Begins the path in messages about types, e.g. `check` in `check.interval must be ...`. */
  readonly subject: string;
  readonly decode?: (raw: unknown) => Decoded<T>;
  readonly validate: (resource: T) => string | null;
  readonly name?: (resource: T) => string;
  readonly namespace?: (resource: T) => string;
  readonly fields?: (resource: T) => Record<string, unknown>;
  /** One of `fields`, where there are many items and making all for each would take long. */
  readonly field?: (resource: T, name: string) => unknown;
  /** Those readers see: a selector must not find out what they don't. Default: the labels of its metadata. */
  readonly labels?: (resource: T) => Record<string, string>;
  /** Keys of the resource that readers don't see when empty. */
  readonly optionalKeys?: readonly string[];
  /** Keys that never leave. */
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

/** Values as selectors compare them: lists joined by commas, absent ones empty. */
export const selectable = (value: unknown): string => {
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

/** Core bodies are unwrapped; a wrapped one of the right type is taken too, since files hold that form. */
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
 * Makes a kind of a row. The rows hold different types and the table one: this is the only place where that is
 * forgotten, so a kind must be handed its own resources only.
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
