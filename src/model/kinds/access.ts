// Access control: namespaces, users, API keys, roles and bindings.
import { apiKeySchema, validateApiKey } from '../access/api-key.ts';
import {
  type RoleBinding,
  roleBindingSchema,
  roleSchema,
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from '../access/rbac.ts';
import { userSchema, validateUser } from '../access/user.ts';
import { namespaceSchema, validateNamespace } from '../resource/namespace.ts';
import { defineKind } from '../resource/resource-kind.ts';
import { clusterAll, namespacedAll } from './operations.ts';

const roleRefFields = ({ role_ref }: RoleBinding) => ({
  'role_ref.name': role_ref.name,
  'role_ref.type': role_ref.type,
});

export const namespaceKind = defineKind({
  type: 'Namespace',
  path: 'namespaces',
  summary: 'isolates the resources of one team from those of other teams',
  namespaced: false,
  routes: 'namespace',
  operations: clusterAll,
  schema: namespaceSchema,
  selectorPrefix: 'namespace',
  subject: 'namespace',
  validate: validateNamespace,
  name: (namespace) => namespace.name,
});

export const userKind = defineKind({
  type: 'User',
  path: 'users',
  summary: 'a person who can log in with a password',
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

export const apiKeyKind = defineKind({
  type: 'APIKey',
  path: 'apikeys',
  summary: "a user's API key for programs",
  namespaced: false,
  routes: 'apiKey',
  operations: ['list', 'create', 'get', 'patch', 'delete'],
  schema: apiKeySchema,
  selectorPrefix: 'api_key',
  subject: 'apikey',
  validate: validateApiKey,
  fields: ({ username, metadata }) => ({ username, created_by: metadata.created_by }),
});

export const clusterRoleKind = defineKind({
  type: 'ClusterRole',
  path: 'clusterroles',
  summary: 'permissions everywhere',
  namespaced: false,
  routes: 'access',
  operations: clusterAll,
  schema: roleSchema,
  selectorPrefix: 'clusterrole',
  subject: 'clusterrole',
  validate: validateClusterRole,
});

export const clusterRoleBindingKind = defineKind({
  type: 'ClusterRoleBinding',
  path: 'clusterrolebindings',
  summary: 'grants a cluster role to users and groups in all namespaces',
  namespaced: false,
  routes: 'access',
  operations: clusterAll,
  schema: roleBindingSchema,
  selectorPrefix: 'clusterrolebinding',
  subject: 'clusterrolebinding',
  validate: validateClusterRoleBinding,
  fields: roleRefFields,
});

export const roleKind = defineKind({
  type: 'Role',
  path: 'roles',
  summary: 'permissions in one namespace',
  namespaced: true,
  routes: 'access',
  operations: namespacedAll,
  schema: roleSchema,
  selectorPrefix: 'role',
  subject: 'role',
  validate: validateRole,
});

export const roleBindingKind = defineKind({
  type: 'RoleBinding',
  path: 'rolebindings',
  summary: 'grants a role to users and groups in one namespace',
  namespaced: true,
  routes: 'access',
  operations: namespacedAll,
  schema: roleBindingSchema,
  selectorPrefix: 'rolebinding',
  subject: 'rolebinding',
  validate: validateRoleBinding,
  fields: roleRefFields,
});
