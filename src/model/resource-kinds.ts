// The table of all kinds of resources. Routes, permissions, selectors, the OpenAPI document and mon-ctl are made from
// it; a new kind is a schema, its rules, and a row here. Matrix: API sheet, section 5.1; fields: section 6.3.
import { apiKeySchema, validateApiKey } from './api-key.ts';
import { assetSchema, validateAsset } from './asset.ts';
import {
  authApiVersion,
  authProviderSchema,
  authProviderTypes,
  authSecretPaths,
  decodeAuthProvider,
  validateAuthProvider,
} from './auth-provider.ts';
import { checkConfigSchema } from './check.ts';
import { validateCheckConfig } from './check-rules.ts';
import { decode } from './decode.ts';
import { type Entity, entitySchema } from './entity.ts';
import { validateEntity } from './entity-rules.ts';
import { type Event, eventSchema } from './event.ts';
import { eventFilterSchema, validateEventFilter } from './event-filter.ts';
import { validateEvent } from './event-rules.ts';
import { handlerSchema, validateHandler } from './handler.ts';
import { hookConfigSchema, validateHook } from './hook.ts';
import { mutatorSchema, validateMutator } from './mutator.ts';
import { namespaceSchema, validateNamespace } from './namespace.ts';
import { pipelineSchema, validatePipeline } from './pipeline.ts';
import {
  type RoleBinding,
  roleBindingSchema,
  roleSchema,
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from './rbac.ts';
import { redactEntity, redactEvent } from './redaction.ts';
import { defineKind, type Operation, type ResourceKind } from './resource-kind.ts';
import { secretSchema, secretsApiVersion, validateSecret } from './secret.ts';
import {
  gatherClient,
  providerSecretPaths,
  providerTypes,
  secretsProviderSchema,
  validateSecretsProvider,
} from './secrets-provider.ts';
import { silencedSchema, validateSilenced } from './silenced.ts';
import { userSchema, validateUser } from './user.ts';
import { toWireCheck, toWireEntity, toWireEvent, withoutEmpty } from './wire-shape.ts';
import { lowerWrapperKeys } from './wrapped.ts';

const namespacedAll: readonly Operation[] = ['list', 'listAll', 'create', 'get', 'put', 'patch', 'delete'];
const clusterAll: readonly Operation[] = ['list', 'create', 'get', 'put', 'patch', 'delete'];

const roleRefFields = ({ role_ref }: RoleBinding) => ({
  'role_ref.name': role_ref.name,
  'role_ref.type': role_ref.type,
});

const eventLabels = ({ metadata, entity, check }: Event): Record<string, string> => {
  const own = metadata.labels ?? {};
  if (Object.keys(own).length > 0) return { ...own };
  return { ...entity.metadata.labels, ...check?.metadata.labels };
};

const eventFields = ({ timestamp, entity, check, metadata }: Event): Record<string, unknown> => {
  const labels = { ...entity.metadata.labels, ...check?.metadata.labels, ...metadata.labels };
  const fields: Record<string, unknown> = {
    name: metadata.name ?? '',
    is_silenced: check?.is_silenced ?? false,
    timestamp,
    'entity.deregister': entity.deregister,
    'entity.entity_class': entity.entity_class,
    'entity.name': entity.metadata.name,
    'entity.subscriptions': entity.subscriptions,
  };
  for (const [label, value] of Object.entries(labels)) fields[`labels.${label}`] = value;
  if (check === undefined) return fields;
  for (const key of ['handlers', 'is_silenced', 'last_ok', 'publish', 'round_robin'] as const) {
    fields[`check.${key}`] = check[key];
  }
  fields['check.name'] = check.metadata.name;
  for (const key of ['runtime_assets', 'state', 'status', 'subscriptions'] as const) {
    fields[`check.${key}`] = check[key];
  }
  return fields;
};

const readableEvent = (event: Event) => toWireEvent(redactEvent(event));
const readableEntity = (entity: Entity) => toWireEntity(redactEntity(entity));

export const namespaceKind = defineKind({
  type: 'Namespace',
  path: 'namespaces',
  summary: 'keeps the resources of one team apart from those of another',
  namespaced: false,
  routes: 'namespace',
  operations: clusterAll,
  schema: namespaceSchema,
  selectorPrefix: 'namespace',
  subject: 'namespace',
  validate: validateNamespace,
  name: (namespace) => namespace.name,
});

export const checkKind = defineKind({
  type: 'CheckConfig',
  path: 'checks',
  summary: 'what agents run, when, and where the results go',
  namespaced: true,
  routes: 'check',
  operations: namespacedAll,
  schema: checkConfigSchema,
  selectorPrefix: 'check',
  subject: 'check',
  validate: validateCheckConfig,
  fields: ({ handlers, publish, round_robin, runtime_assets, subscriptions }) => ({
    handlers,
    publish,
    round_robin,
    runtime_assets,
    subscriptions,
  }),
  toWire: toWireCheck,
});

export const entityKind = defineKind({
  type: 'Entity',
  path: 'entities',
  summary: 'a machine or thing being watched',
  namespaced: true,
  routes: 'entity',
  operations: namespacedAll,
  schema: entitySchema,
  selectorPrefix: 'entity',
  subject: 'entity',
  validate: validateEntity,
  fields: ({ deregister, entity_class, subscriptions, user }) => ({
    deregister,
    entity_class,
    subscriptions,
    user,
  }),
  toWire: readableEntity,
});

export const eventKind = defineKind({
  type: 'Event',
  path: 'events',
  summary: 'the last result of a check on an entity',
  namespaced: true,
  routes: 'event',
  operations: ['list', 'listAll', 'create', 'get', 'put', 'delete'],
  schema: eventSchema,
  selectorPrefix: 'event',
  subject: '',
  validate: validateEvent,
  name: ({ entity, check }) => `${entity.metadata.name}/${check?.metadata.name ?? ''}`,
  namespace: ({ entity }) => entity.metadata.namespace ?? '',
  fields: eventFields,
  labels: eventLabels,
  toWire: readableEvent,
});

export const handlerKind = defineKind({
  type: 'Handler',
  path: 'handlers',
  summary: 'where events go: a command, a socket, or a set of handlers',
  namespaced: true,
  operations: namespacedAll,
  schema: handlerSchema,
  selectorPrefix: 'handler',
  subject: 'handler',
  validate: validateHandler,
  fields: ({ filters, handlers, mutator, type }) => ({ filters, handlers, mutator, type }),
  optionalKeys: ['mutator', 'command', 'socket'],
});

export const filterKind = defineKind({
  type: 'EventFilter',
  path: 'filters',
  summary: 'which events reach a handler',
  namespaced: true,
  operations: namespacedAll,
  schema: eventFilterSchema,
  selectorPrefix: 'filter',
  subject: 'filter',
  validate: validateEventFilter,
  fields: ({ action, runtime_assets }) => ({ action, runtime_assets }),
  optionalKeys: ['when'],
});

export const mutatorKind = defineKind({
  type: 'Mutator',
  path: 'mutators',
  summary: 'what an event is turned into for a handler',
  namespaced: true,
  operations: namespacedAll,
  schema: mutatorSchema,
  selectorPrefix: 'mutator',
  subject: 'mutator',
  validate: validateMutator,
  fields: ({ runtime_assets }) => ({ runtime_assets }),
  optionalKeys: ['command', 'eval'],
});

export const hookKind = defineKind({
  type: 'HookConfig',
  path: 'hooks',
  summary: 'a command run after a check for more light on its result',
  namespaced: true,
  operations: namespacedAll,
  schema: hookConfigSchema,
  selectorPrefix: 'hook',
  subject: 'hook',
  validate: validateHook,
});

export const assetKind = defineKind({
  type: 'Asset',
  path: 'assets',
  summary: 'an archive of programs that checks, filters, mutators and handlers run with',
  namespaced: true,
  operations: namespacedAll,
  schema: assetSchema,
  selectorPrefix: 'asset',
  subject: 'asset',
  validate: validateAsset,
  fields: ({ filters }) => ({ filters }),
  optionalKeys: ['url', 'sha512'],
});

export const silencedKind = defineKind({
  type: 'Silenced',
  path: 'silenced',
  summary: 'keeps alerts quiet for a check, a subscription or both',
  namespaced: true,
  routes: 'silenced',
  operations: ['list', 'listAll', 'create', 'get', 'put', 'delete'],
  schema: silencedSchema,
  selectorPrefix: 'silenced',
  subject: 'silenced',
  validate: validateSilenced,
  fields: ({ check, creator, expire_on_resolve, subscription, reason }) => ({
    check,
    creator,
    expire_on_resolve,
    subscription,
    reason,
  }),
  optionalKeys: ['creator', 'check', 'reason', 'subscription'],
});

export const pipelineKind = defineKind({
  type: 'Pipeline',
  path: 'pipelines',
  summary: 'workflows of filters, a mutator and a handler',
  namespaced: true,
  operations: namespacedAll,
  schema: pipelineSchema,
  selectorPrefix: 'pipeline',
  subject: 'pipeline',
  validate: validatePipeline,
  toWire: (pipeline) => ({
    ...withoutEmpty(pipeline, new Set(['continue_on_error'])),
    workflows: pipeline.workflows.map((flow) =>
      withoutEmpty(flow, new Set(['filters', 'mutator', 'handler'])),
    ),
  }),
});

export const userKind = defineKind({
  type: 'User',
  path: 'users',
  summary: 'somebody who may log in with a password',
  namespaced: false,
  routes: 'user',
  operations: ['list', 'create', 'get', 'put', 'delete'],
  schema: userSchema,
  selectorPrefix: 'user',
  subject: 'user',
  validate: validateUser,
  name: (user) => user.username,
  fields: ({ username, disabled, groups }) => ({ username, disabled, groups }),
  hiddenKeys: ['password', 'password_hash'],
});

export const roleKind = defineKind({
  type: 'Role',
  path: 'roles',
  summary: 'permissions inside one namespace',
  namespaced: true,
  operations: namespacedAll,
  schema: roleSchema,
  selectorPrefix: 'role',
  subject: 'role',
  validate: validateRole,
});

export const roleBindingKind = defineKind({
  type: 'RoleBinding',
  path: 'rolebindings',
  summary: 'gives a role to users and groups inside one namespace',
  namespaced: true,
  operations: namespacedAll,
  schema: roleBindingSchema,
  selectorPrefix: 'rolebinding',
  subject: 'rolebinding',
  validate: validateRoleBinding,
  fields: roleRefFields,
});

export const clusterRoleKind = defineKind({
  type: 'ClusterRole',
  path: 'clusterroles',
  summary: 'permissions everywhere',
  namespaced: false,
  operations: clusterAll,
  schema: roleSchema,
  selectorPrefix: 'clusterrole',
  subject: 'clusterrole',
  validate: validateClusterRole,
});

export const clusterRoleBindingKind = defineKind({
  type: 'ClusterRoleBinding',
  path: 'clusterrolebindings',
  summary: 'gives a cluster role to users and groups everywhere',
  namespaced: false,
  operations: clusterAll,
  schema: roleBindingSchema,
  selectorPrefix: 'clusterrolebinding',
  subject: 'clusterrolebinding',
  validate: validateClusterRoleBinding,
  fields: roleRefFields,
});

export const apiKeyKind = defineKind({
  type: 'APIKey',
  path: 'apikeys',
  summary: "a user's key for programs",
  namespaced: false,
  routes: 'apiKey',
  operations: ['list', 'create', 'get', 'patch', 'delete'],
  schema: apiKeySchema,
  selectorPrefix: 'api_key',
  subject: 'apikey',
  validate: validateApiKey,
  fields: ({ username, metadata }) => ({ username, created_by: metadata.created_by }),
  hiddenKeys: ['hash'],
});

export const authProviderKind = defineKind({
  type: 'ldap',
  types: authProviderTypes,
  apiVersion: authApiVersion,
  path: 'authproviders',
  summary: 'a directory or issuer users may log in through',
  namespaced: false,
  wrapped: true,
  routes: 'authProvider',
  operations: ['list', 'get', 'put', 'delete'],
  schema: authProviderSchema,
  selectorPrefix: 'authprovider',
  subject: '',
  decode: (raw) => decodeAuthProvider(lowerWrapperKeys(raw)),
  validate: validateAuthProvider,
  secretPaths: authSecretPaths,
});

export const secretsProviderKind = defineKind({
  type: 'StoreProvider',
  types: providerTypes,
  apiVersion: secretsApiVersion,
  path: 'providers',
  summary: 'where secrets are fetched from',
  namespaced: false,
  wrapped: true,
  routes: 'secretsProvider',
  operations: ['list', 'get', 'put', 'delete'],
  schema: secretsProviderSchema,
  selectorPrefix: 'provider',
  subject: '',
  decode: (raw) => decode(secretsProviderSchema, gatherClient(lowerWrapperKeys(raw)), ''),
  validate: validateSecretsProvider,
  secretPaths: providerSecretPaths,
});

export const secretKind = defineKind({
  type: 'Secret',
  apiVersion: secretsApiVersion,
  path: 'secrets',
  summary: 'the name of a value that a secrets provider keeps',
  namespaced: true,
  wrapped: true,
  routes: 'secret',
  operations: ['list', 'listAll', 'get', 'put', 'delete'],
  schema: secretSchema,
  selectorPrefix: 'secret',
  subject: '',
  decode: (raw) => decode(secretSchema, lowerWrapperKeys(raw), ''),
  validate: validateSecret,
  fields: ({ spec }) => ({ provider: spec.provider, id: spec.id }),
});

/** All kinds, in the order in which a file of many is best created: what is referred to comes first. */
export const resourceKinds: readonly ResourceKind[] = [
  namespaceKind,
  authProviderKind,
  userKind,
  apiKeyKind,
  clusterRoleKind,
  clusterRoleBindingKind,
  roleKind,
  roleBindingKind,
  secretsProviderKind,
  secretKind,
  assetKind,
  hookKind,
  filterKind,
  mutatorKind,
  handlerKind,
  pipelineKind,
  checkKind,
  entityKind,
  eventKind,
  silencedKind,
];

/** The kind of a path segment, e.g. `checks`. */
export const kindByPath: ReadonlyMap<string, ResourceKind> = new Map(
  resourceKinds.map((kind) => [kind.path, kind]),
);

const kindsByType: ReadonlyMap<string, ResourceKind> = new Map(
  resourceKinds.flatMap((kind) => kind.types.map((type) => [type.toLowerCase(), kind] as const)),
);

/** The kind of a wrapped resource's type, in any letter case; undefined for types unknown here. */
export const kindByType = (type: string): ResourceKind | undefined => kindsByType.get(type.toLowerCase());
