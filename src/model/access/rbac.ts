// Roles and bindings: permissions of users and groups.
import { z } from 'zod';
import { type Metadata, metadataSchema } from '../resource/metadata.ts';
import { subscriptionFault } from '../resource/names.ts';
import { list, stringList, stringListOrNull, text } from '../schema/quick-types.ts';

const verbs = ['*', 'get', 'list', 'create', 'update', 'delete'] as const;
/** For live inspection: read actors, and control them. */
const inspectionVerbs = ['inspect:get', 'inspect:control'] as const;

/**
 * What rules can name: every kind, and what only routes ask for. The last two lines are kinds of the reference product
 * that this one does not have or does not guard by name; roles of its dumps name them.
 */
const resourceTypes: readonly string[] = [
  ...['*', 'assets', 'checks', 'entities', 'events', 'filters', 'handlers', 'hooks', 'mutators', 'pipelines'],
  ...['silenced', 'roles', 'rolebindings', 'clusterroles', 'clusterrolebindings', 'users', 'apikeys'],
  ...['namespaces', 'authproviders', 'providers', 'secrets', 'license', 'localselfuser', 'actors'],
  ...['extensions', 'tessen', 'searches', 'clusters', 'etcd-replicators', 'provider', 'config'],
  ...['service-components', 'rule-templates', 'sumo-logic-metrics-handlers', 'tcp-stream-handlers'],
];

/** `["get,list"]` means `["get", "list"]`. */
const split = <T extends readonly string[] | null>(list: T) =>
  list === null ? null : list.flatMap((item) => item.split(',').map((part) => part.trim()));

const ruleSchema = z.object({
  verbs: stringList()
    .transform((list) => split(list) ?? [])
    .meta({
      description: 'What may be done.',
      'x-allowed': ['get', 'list', 'create', 'update', 'delete', '*'],
    }),
  resources: stringList()
    .transform((list) => split(list) ?? [])
    .meta({ description: 'Kinds, such as checks, or *.', 'x-known': resourceTypes }),
  /** Null or empty means all names. */
  resource_names: stringListOrNull().transform(split).describe('Names they are limited to; none: all.'),
});
export type Rule = z.infer<typeof ruleSchema>;

const metadata = metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.');

export const roleSchema = z.object({
  rules: list(ruleSchema)
    .nullish()
    .transform((items) => items ?? [])
    .describe('What the role allows.'),
  metadata,
});
export type Role = z.infer<typeof roleSchema>;

/** Matches known words case-insensitively. Other text is kept, so that the error can quote it. */
const oneOf = (words: readonly string[]) =>
  text('').transform((word) => words.find((known) => known.toLowerCase() === word.toLowerCase()) ?? word);

const subjectSchema = z.object({
  type: oneOf(['User', 'Group']).describe('User or Group.'),
  name: text('').describe('Name of the user or group.'),
});
type Subject = z.infer<typeof subjectSchema>;

const roleReferenceSchema = z.object({
  type: oneOf(['Role', 'ClusterRole']).describe('Role or ClusterRole.'),
  name: text('').describe('Name of the role.'),
});

export const roleBindingSchema = z.object({
  subjects: list(subjectSchema)
    .nullish()
    .transform((items) => items ?? [])
    .describe('Who gets the role.'),
  role_ref: roleReferenceSchema.default({ type: '', name: '' }).describe('The role.'),
  metadata,
});
export type RoleBinding = z.infer<typeof roleBindingSchema>;

type RoleKind = 'Role' | 'ClusterRole';
type BindingKind = 'RoleBinding' | 'ClusterRoleBinding';

const placeFault = (kind: RoleKind | BindingKind, { name, namespace }: Metadata): string | null => {
  const why = subscriptionFault(`the ${kind} name`, name);
  if (why !== null) return why;
  if (kind.startsWith('Cluster')) return namespace ? `${kind} cannot have a namespace` : null;
  return namespace ? null : `the ${kind} namespace must be set`;
};

const rulesFault = (kind: RoleKind, rules: readonly Rule[]): string | null => {
  if (rules.length === 0) return `a ${kind} must have at least one rule`;
  const words: ReadonlySet<string> = new Set([...verbs, ...inspectionVerbs]);
  const wrong = rules.flatMap((rule) => rule.verbs).find((verb) => !words.has(verb));
  return wrong === undefined
    ? null
    : `the verb "${wrong}" is not valid: it is one of ${[...words].join(', ')}`;
};

const validateAnyRole = (kind: RoleKind, role: Role): string | null =>
  placeFault(kind, role.metadata) ?? rulesFault(kind, role.rules);

export const validateRole = (role: Role): string | null => validateAnyRole('Role', role);
export const validateClusterRole = (role: Role): string | null => validateAnyRole('ClusterRole', role);

const referenceFault = (kind: BindingKind, { type, name }: RoleBinding['role_ref']): string | null => {
  if (type !== 'Role' && type !== 'ClusterRole') {
    return `roleRef type "${type}" is invalid, expected either "ClusterRole" or "Role"`;
  }
  if (name === '') return `roleRef name for ${type} is required`;
  // A Role belongs to a namespace, and a cluster binding has none: its subjects would have no access at all.
  if (kind === 'ClusterRoleBinding' && type === 'Role') return `a ${kind} must refer to a ClusterRole`;
  return null;
};

const subjectFault = ({ type, name }: Subject): string | null => {
  if (type !== 'User' && type !== 'Group') {
    return `subject type "${type}" is invalid, expected either "Group" or "User"`;
  }
  return name === '' ? `subject name for the "${type}" type is required` : null;
};

const subjectsFault = (kind: BindingKind, subjects: readonly Subject[]): string | null => {
  if (subjects.length === 0) return `a ${kind} must have at least one subject`;
  for (const subject of subjects) {
    const why = subjectFault(subject);
    if (why !== null) return why;
  }
  return null;
};

const validateAnyBinding = (kind: BindingKind, binding: RoleBinding): string | null =>
  placeFault(kind, binding.metadata) ??
  referenceFault(kind, binding.role_ref) ??
  subjectsFault(kind, binding.subjects);

/** May refer to a Role in its namespace or to a ClusterRole, which then applies to that namespace only. */
export const validateRoleBinding = (binding: RoleBinding): string | null =>
  validateAnyBinding('RoleBinding', binding);

export const validateClusterRoleBinding = (binding: RoleBinding): string | null =>
  validateAnyBinding('ClusterRoleBinding', binding);
