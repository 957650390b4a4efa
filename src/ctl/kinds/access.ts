// Commands of those who may log in, of roles and bindings, and of what keeps secrets (API sheet 16.6).
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { at, text, timestamp } from '../output/values.ts';
import { column, type KindCommands, listField, textField } from './kind-commands.ts';

const name = text('metadata.name');
const namespace = column('Namespace', text('metadata.namespace'));

const listOf = (resource: Json, key: string): readonly Json[] =>
  (resource[key] as Json[] | null | undefined) ?? [];
const count =
  (key: string) =>
  (resource: Json): string =>
    String(listOf(resource, key).length);
const ofRules =
  (key: string) =>
  (role: Json): string =>
    listOf(role, 'rules').map(text(key)).join('\n');

const roleRows = [
  column('Name', name),
  column('Verbs', ofRules('verbs')),
  column('Resources', ofRules('resources')),
  column('Resource Names', ofRules('resource_names')),
];

const words = (given: Readonly<Record<string, unknown>>, flag: string): readonly string[] =>
  (given[flag] as string[] | undefined) ?? [];

const roleFields = [
  listField('', 'verb', 'v', 'what may be done: get, list, create, update, delete or *'),
  listField('', 'resource', 'r', 'kinds of resources, such as checks, or *'),
  listField('', 'resource-name', 'n', 'names of resources; all when left out'),
];

const completeRole: KindCommands['complete'] = (role, given) => {
  const verbs = words(given, 'verb');
  const resources = words(given, 'resource');
  if (verbs.length === 0 || resources.length === 0)
    throw new CtlError('must specify at least one --verb and one --resource');
  const names = words(given, 'resource-name');
  role.rules = [{ verbs, resources, resource_names: names.length === 0 ? null : names }];
};

export const roleCommands: KindCommands = {
  words: ['role'],
  path: 'roles',
  name,
  verbs: ['list', 'info', 'create', 'delete'],
  columns: [column('Name', name), namespace, column('Rules', count('rules'))],
  rows: [...roleRows.slice(0, 1), namespace, ...roleRows.slice(1)],
  fields: roleFields,
  complete: completeRole,
};

export const clusterRoleCommands: KindCommands = {
  words: ['cluster-role'],
  path: 'clusterroles',
  name,
  verbs: ['list', 'info', 'create', 'delete'],
  columns: [column('Name', name), column('Rules', count('rules'))],
  rows: roleRows,
  fields: roleFields,
  complete: completeRole,
};

const reference =
  (type: string) =>
  (binding: Json): string =>
    at(binding, 'role_ref.type') === type ? text('role_ref.name')(binding) : '';
const subjects =
  (type: string) =>
  (binding: Json): string =>
    listOf(binding, 'subjects')
      .filter((subject) => subject.type === type)
      .map(text('name'))
      .join(',');

const bindingFields = [
  textField('', 'cluster-role', 'c', 'cluster role that is given'),
  listField('', 'group', 'g', 'groups that get it'),
  listField('', 'user', 'u', 'users that get it'),
];

const completeBinding: KindCommands['complete'] = (binding, given) => {
  const clusterRole = given['cluster-role'];
  if (clusterRole !== undefined && given.role !== undefined)
    throw new CtlError('cannot specify --role and --cluster-role at the same time');
  if (clusterRole === undefined && given.role === undefined)
    throw new CtlError('must specify a role or a cluster role');
  binding.role_ref =
    clusterRole === undefined
      ? { type: 'Role', name: given.role }
      : { type: 'ClusterRole', name: clusterRole };
  binding.subjects = [
    ...words(given, 'group').map((subject) => ({ type: 'Group', name: subject })),
    ...words(given, 'user').map((subject) => ({ type: 'User', name: subject })),
  ];
  if ((binding.subjects as unknown[]).length === 0)
    throw new CtlError('must specify at least one --group or --user');
};

const bindingSubjects = [column('Users', subjects('User')), column('Groups', subjects('Group'))];

export const clusterRoleBindingCommands: KindCommands = {
  words: ['cluster-role-binding'],
  path: 'clusterrolebindings',
  name,
  verbs: ['list', 'info', 'create', 'delete'],
  columns: [
    column('Name', name),
    column('Cluster Role', reference('ClusterRole')),
    column('Subjects', count('subjects')),
  ],
  rows: [
    column('Name', name),
    column('Cluster Role', reference('ClusterRole')),
    column('Subjects', count('subjects')),
    ...bindingSubjects,
  ],
  fields: bindingFields,
  complete: completeBinding,
};

export const roleBindingCommands: KindCommands = {
  words: ['role-binding'],
  path: 'rolebindings',
  name,
  verbs: ['list', 'info', 'create', 'delete'],
  columns: [
    column('Name', name),
    namespace,
    column('Cluster Role', reference('ClusterRole')),
    column('Role', reference('Role')),
    column('Subjects', count('subjects')),
  ],
  rows: [
    column('Name', name),
    namespace,
    column('Cluster Role', reference('ClusterRole')),
    column('Role', reference('Role')),
    column('Subjects', count('subjects')),
    ...bindingSubjects,
  ],
  fields: [...bindingFields, textField('', 'role', 'r', 'role of the namespace that is given')],
  complete: completeBinding,
};

export const namespaceCommands: KindCommands = {
  words: ['namespace'],
  path: 'namespaces',
  name: text('name'),
  namePath: 'name',
  verbs: ['list', 'info', 'create', 'delete'],
  columns: [column('Name', text('name'))],
  fields: [],
};

const keyColumns = [
  column('Name', name),
  column('Username', text('username')),
  column('Created At', ({ created_at }) => timestamp(created_at)),
];

export const apiKeyCommands: KindCommands = {
  words: ['api-key'],
  path: 'apikeys',
  name,
  verbs: ['list', 'info'],
  columns: keyColumns,
};

export const userCommands: KindCommands = {
  words: ['user'],
  path: 'users',
  name: text('username'),
  verbs: ['list', 'info'],
  columns: [
    column('Username', text('username')),
    column('Groups', text('groups')),
    column('Enabled', ({ disabled }) => String(disabled !== true)),
  ],
};

export const authCommands: KindCommands = {
  words: ['auth'],
  path: 'authproviders',
  name,
  verbs: ['list', 'info', 'delete'],
  columns: [column('Type', text('type')), column('Name', name)],
};

export const secretCommands: KindCommands = {
  words: ['secret'],
  path: 'secrets',
  name,
  verbs: ['list', 'info', 'delete'],
  columns: [
    column('Name', name),
    column('Provider', text('spec.provider')),
    column('ID', text('spec.id')),
    namespace,
  ],
};

export const secretsProviderCommands: KindCommands = {
  words: ['secret', 'provider'],
  path: 'providers',
  name,
  verbs: ['list', 'info', 'delete'],
  columns: [
    column('Type', text('type')),
    column('Name', name),
    column('Address', text('spec.client.address')),
  ],
};
