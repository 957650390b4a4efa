// What a new backend begins with. Plain data: passwords are hashed by whoever stores them.

import { defaultNamespace } from './names.ts';
import type { Namespace } from './namespace.ts';
import type { Role, RoleBinding, Rule } from './rbac.ts';
import { type SecretsProvider, secretsProviderSchema } from './secrets-provider.ts';
import type { User } from './user.ts';

/** The resources that `admin`, `edit` and `view` reach. */
export const commonResources: readonly string[] = [
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

/** What a user is to itself: evaluated instead of `users` for its own record and password. */
export const selfUserResource = 'localselfuser';
export const pipelineRoleName = 'system:pipeline';
/** Who is in it is an agent: a session on the agent listener is all it gets, whatever its roles say. */
export const agentsGroup = 'system:agents';
/** Who is in it may do everything. */
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

/** The group every password user is in without being told. */
export const everyUserGroup = 'system:users';

/** What comes with every namespace: filters' event lookups run with this role. */
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

/** `password` is plain here. */
export type SeedUser = User & { readonly password: string };

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

/** The environment variables of the backend as secrets; there whenever a backend starts (interface section 2.4). */
export const environmentProvider: SecretsProvider = secretsProviderSchema.parse({
  type: 'Env',
  metadata: { name: 'env' },
});

/** Everything a backend needs before anyone can log in. */
export const seedsFor = (
  adminUsername: string,
  adminPassword: string,
  /** Null: agents get no user; they come with users of their own, or with certificates. */
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
