// The initial resources of a new backend. Passwords are plain here and hashed when stored.

import type { Role, RoleBinding, Rule } from '../access/rbac.ts';
import { type SecretsProvider, secretsProviderSchema } from '../access/secrets-provider.ts';
import type { User } from '../access/user.ts';
import { defaultNamespace } from './names.ts';
import type { Namespace } from './namespace.ts';

/** The resources covered by the roles `admin`, `edit` and `view`. */
const commonResources: readonly string[] = [
  'assets',
  'checks',
  'entities',
  'events',
  'filters',
  'handlers',
  'hooks',
  'mutators',
  'silenced',
];

/** The resource name for a user's own record and password, checked instead of `users`. */
const selfUserResource = 'localselfuser';
export const pipelineRoleName = 'system:pipeline';
/** Members are agents: they can only open sessions on the agent listener, whatever their roles allow. */
export const agentsGroup = 'system:agents';
/** Members have all permissions. */
export const clusterAdminsGroup = 'cluster-admins';
export const agentUsername = 'agent';
export const agentPassword = 'P@ssw0rd!';

const rule = (verbs: readonly string[], resources: readonly string[]): Rule => ({
  verbs: [...verbs],
  resources: [...resources],
  resource_names: null,
});

const role = (name: string, ...rules: Rule[]): Role => ({ rules, metadata: { name } });

const read = ['get', 'list'];
const seeNamespaces = rule(read, ['namespaces']);
/** Statecharts of entities and checks, in the namespaces the role is bound in. */
const seeActors = rule(['inspect:get'], ['actors']);

const clusterRoles: readonly Role[] = [
  role('cluster-admin', rule(['*'], ['*'])),
  role('admin', rule(['*'], [...commonResources, 'roles', 'rolebindings']), seeNamespaces, seeActors),
  role('edit', rule(['*'], commonResources), seeNamespaces, seeActors),
  role('view', rule(read, [...commonResources, 'namespaces']), seeActors),
  role('system:agent', rule(['get', 'list', 'create', 'update', 'delete'], ['events'])),
  role('system:user', rule(['get', 'update'], [selfUserResource])),
];

/**
 * Cluster roles that were seeded with fewer rules once. A store that holds one just as it was seeded then is given the rules of
 * now; one that somebody changed stays as it is.
 */
export const outgrownClusterRoles: readonly { readonly former: Role; readonly now: Role }[] = [
  role('admin', rule(['*'], [...commonResources, 'roles', 'rolebindings']), seeNamespaces),
  role('edit', rule(['*'], commonResources), seeNamespaces),
  role('view', rule(read, [...commonResources, 'namespaces'])),
].map((former) => ({
  former,
  now: clusterRoles.find(({ metadata }) => metadata.name === former.metadata.name) ?? former,
}));

const toGroup = (roleType: 'Role' | 'ClusterRole', name: string, group: string): RoleBinding => ({
  subjects: [{ type: 'Group', name: group }],
  role_ref: { type: roleType, name },
  metadata: { name },
});

const clusterRoleBindings: readonly RoleBinding[] = [
  toGroup('ClusterRole', 'cluster-admin', clusterAdminsGroup),
  toGroup('ClusterRole', 'system:agent', agentsGroup),
  toGroup('ClusterRole', 'system:user', 'system:users'),
];

/** Created with every namespace: the role for event lookups of filters. */
export const namespaceSeeds = (namespace: string): { readonly role: Role; readonly binding: RoleBinding } => {
  const binding = toGroup('Role', pipelineRoleName, pipelineRoleName);
  return {
    role: {
      ...role(pipelineRoleName, rule(read, ['events'])),
      metadata: { name: pipelineRoleName, namespace },
    },
    binding: { ...binding, metadata: { ...binding.metadata, namespace } },
  };
};

/** `password` is in plain text here. */
type SeedUser = User & { readonly password: string };

const user = (username: string, password: string, group: string): SeedUser => ({
  username,
  password,
  groups: [group],
  disabled: false,
});

export interface Seeds {
  readonly namespaces: readonly Namespace[];
  readonly users: readonly SeedUser[];
  readonly clusterRoles: readonly Role[];
  readonly clusterRoleBindings: readonly RoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
  readonly secretsProviders: readonly SecretsProvider[];
}

/** Environment variables of the backend as secrets. Always present when a backend starts. */
export const environmentProvider: SecretsProvider = secretsProviderSchema.parse({
  type: 'Env',
  metadata: { name: 'env' },
});

/** The resources a backend needs before anyone can log in. */
export const seedsFor = (
  adminUsername: string,
  adminPassword: string,
  /** Null: no user for agents; they use their own users or client certificates. */
  passwordOfAgents: string | null = agentPassword,
): Seeds => {
  const ofDefault = namespaceSeeds(defaultNamespace);
  return {
    namespaces: [{ name: defaultNamespace }],
    users: [
      user(adminUsername, adminPassword, clusterAdminsGroup),
      ...(passwordOfAgents === null ? [] : [user(agentUsername, passwordOfAgents, agentsGroup)]),
    ],
    clusterRoles,
    clusterRoleBindings,
    roles: [ofDefault.role],
    roleBindings: [ofDefault.binding],
    secretsProviders: [environmentProvider],
  };
};
