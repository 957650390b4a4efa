// Commands of those who may log in, of roles and bindings, and of what keeps secrets.
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { at, text } from '../output/values.ts';
import { type Cell, itemsAt } from './cells.ts';
import { defineKind, type FieldRow, type KindCommands, type KindRow } from './kind-commands.ts';

const ofRules =
  (key: string): Cell =>
  (role) =>
    itemsAt(role, 'rules').map(text(key)).join('\n');

const given = (flags: Readonly<Record<string, unknown>>, flag: string): readonly string[] =>
  (flags[flag] as string[] | undefined) ?? [];

type Shared = 'verbs' | 'fields' | 'cells' | 'complete' | 'example';

const roleLike: Pick<KindRow, Shared> = {
  verbs: ['list', 'info', 'create', 'delete'],
  example: { name: 'operator', create: 'operator -v get,list -r checks,events' },
  cells: {
    Verbs: ofRules('verbs'),
    Resources: ofRules('resources'),
    'Resource Names': ofRules('resource_names'),
  },
  fields: [
    ['list verb,v', 'what may be done: get, list, create, update, delete or *', { path: '' }],
    ['list resource,r', 'kinds of resources, such as checks, or *', { path: '' }],
    ['list resource-name,n', 'names of resources; all when left out', { path: '' }],
  ],
  complete: (role, flags) => {
    const verbs = given(flags, 'verb');
    const resources = given(flags, 'resource');
    if (verbs.length === 0 || resources.length === 0)
      throw new CtlError('must specify at least one --verb and one --resource');
    const names = given(flags, 'resource-name');
    role.rules = [{ verbs, resources, resource_names: names.length === 0 ? null : names }];
  },
};

export const roleCommands = defineKind({
  ...roleLike,
  words: ['role'],
  path: 'roles',
  columns: ['Name', 'Namespace', 'Rules'],
  rows: ['Name', 'Namespace', 'Verbs', 'Resources', 'Resource Names'],
});

export const clusterRoleCommands = defineKind({
  ...roleLike,
  words: ['cluster-role'],
  path: 'clusterroles',
  columns: ['Name', 'Rules'],
  rows: ['Name', 'Verbs', 'Resources', 'Resource Names'],
});

const reference =
  (type: string): Cell =>
  (binding) =>
    at(binding, 'role_ref.type') === type ? text('role_ref.name')(binding) : '';
const subjects =
  (type: string): Cell =>
  (binding) =>
    itemsAt(binding, 'subjects')
      .filter((subject) => subject.type === type)
      .map(text('name'))
      .join(',');

const subjectFields: readonly FieldRow[] = [
  ['text cluster-role,c', 'cluster role that is given', { path: '' }],
  ['list group,g', 'groups that get it', { path: '' }],
  ['list user,u', 'users that get it', { path: '' }],
];

const bindRole: NonNullable<KindCommands['complete']> = (binding, flags) => {
  const clusterRole = flags['cluster-role'];
  if (clusterRole !== undefined && flags.role !== undefined)
    throw new CtlError('cannot specify --role and --cluster-role at the same time');
  if (clusterRole === undefined && flags.role === undefined)
    throw new CtlError('must specify a role or a cluster role');
  binding.role_ref =
    clusterRole === undefined
      ? { type: 'Role', name: flags.role }
      : { type: 'ClusterRole', name: clusterRole };
  const named = (type: string, flag: string): Json[] => given(flags, flag).map((name) => ({ type, name }));
  const all = [...named('Group', 'group'), ...named('User', 'user')];
  if (all.length === 0) throw new CtlError('must specify at least one --group or --user');
  binding.subjects = all;
};

const bindingLike: Pick<KindRow, Shared> = {
  verbs: ['list', 'info', 'create', 'delete'],
  example: { name: 'operators', create: 'operators --cluster-role view --group ops' },
  cells: {
    'Cluster Role': reference('ClusterRole'),
    Role: reference('Role'),
    Users: subjects('User'),
    Groups: subjects('Group'),
  },
  complete: bindRole,
};

export const clusterRoleBindingCommands = defineKind({
  ...bindingLike,
  words: ['cluster-role-binding'],
  path: 'clusterrolebindings',
  columns: ['Name', 'Cluster Role', 'Subjects'],
  rows: ['Name', 'Cluster Role', 'Subjects', 'Users', 'Groups'],
  fields: subjectFields,
});

export const roleBindingCommands = defineKind({
  ...bindingLike,
  words: ['role-binding'],
  path: 'rolebindings',
  columns: ['Name', 'Namespace', 'Cluster Role', 'Role', 'Subjects'],
  rows: ['Name', 'Namespace', 'Cluster Role', 'Role', 'Subjects', 'Users', 'Groups'],
  fields: [...subjectFields, ['text role,r', 'role of the namespace that is given', { path: '' }]],
});

export const namespaceCommands = defineKind({
  words: ['namespace'],
  path: 'namespaces',
  name: text('name'),
  namePath: 'name',
  verbs: ['list', 'info', 'create', 'delete'],
  example: { name: 'web', create: 'web' },
  cells: { Name: text('name') },
  columns: ['Name'],
});

export const apiKeyCommands = defineKind({
  words: ['api-key'],
  path: 'apikeys',
  verbs: ['list', 'info'],
  example: { name: 'b4d1a4b5-5b6c-4a3c-8f0e-2f6d1c9f7a11' },
  columns: ['Name', 'Username', 'Created At'],
});

export const userCommands = defineKind({
  words: ['user'],
  path: 'users',
  name: text('username'),
  verbs: ['list', 'info'],
  example: { name: 'joe' },
  cells: { Enabled: ({ disabled }) => String(disabled !== true) },
  columns: ['Username', 'Groups', 'Enabled'],
});

const readOnly = { verbs: ['list', 'info', 'delete'] } as const;

export const authCommands = defineKind({
  ...readOnly,
  words: ['auth'],
  path: 'authproviders',
  example: { name: 'company-ldap' },
  columns: ['Type', 'Name'],
});

export const secretCommands = defineKind({
  ...readOnly,
  words: ['secret'],
  path: 'secrets',
  example: { name: 'database-password' },
  cells: { Provider: text('spec.provider'), ID: text('spec.id') },
  columns: ['Name', 'Provider', 'ID', 'Namespace'],
});

export const secretsProviderCommands = defineKind({
  ...readOnly,
  words: ['secret', 'provider'],
  path: 'providers',
  example: { name: 'vault' },
  cells: { Address: text('spec.client.address') },
  columns: ['Type', 'Name', 'Address'],
});
