// Access control: decides whether a principal may perform an action.
// Rules only allow; everything else is denied, with a reason.
import type { Resource } from '../actors/resources/resource-table.ts';
import type { Resources } from '../actors/resources/resources.ts';
import type { Principal } from './auth/principal.ts';

export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete';

export interface AccessRequest {
  /** Usually a Verb; some modules define additional verbs. */
  readonly verb: string;
  /** The path segment of the kind, e.g. `checks`. Null for routes that require a `*` rule. */
  readonly resource: string | null;
  /** Empty for cluster-wide kinds and for lists across all namespaces. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly resourceName: string;
}

export type AccessDecision =
  /** `by`: the binding that allowed it. */
  | { readonly allow: true; readonly by: string }
  | { readonly allow: false; readonly why: 'noRule' | 'roleMissing'; readonly message: string };

export interface Rule {
  readonly verbs?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resource_names?: readonly string[] | null;
}

export interface Binding {
  readonly subjects?: readonly { readonly type: string; readonly name: string }[] | null;
  readonly role_ref?: { readonly type: string; readonly name: string };
  readonly metadata?: { readonly name?: string };
}

/** `ro may not create checks in team-a`, `ro may not delete check disk in team-a`... */
const denied = ({ username }: Principal, request: AccessRequest): AccessDecision => {
  const { verb, resource, namespace, resourceName } = request;
  const what = resource === null ? 'this, which requires a rule on all resources (*)' : resource;
  const which = resourceName === '' ? '' : ` ${resourceName}`;
  const where = namespace === '' ? '' : ` in ${namespace}`;
  return { allow: false, why: 'noRule', message: `${username} may not ${verb} ${what}${which}${where}` };
};

/** Rules written by older tools join several words with commas. */
export const words = (list: readonly string[] | null | undefined): readonly string[] =>
  (list ?? []).flatMap((item) => (item.includes(',') ? item.split(',').map((word) => word.trim()) : [item]));

const ruleAllows = (rule: Rule, request: AccessRequest): boolean => {
  const verbs = words(rule.verbs);
  if (!verbs.includes('*') && !verbs.includes(request.verb)) return false;
  const resources = words(rule.resources);
  if (!resources.includes('*') && (request.resource === null || !resources.includes(request.resource)))
    return false;
  const names = words(rule.resource_names);
  // A rule with resource names never matches a collection, whose name is empty.
  return names.length === 0 || (request.resourceName !== '' && names.includes(request.resourceName));
};

export const binds = (binding: Binding, principal: Pick<Principal, 'username' | 'groups'>): boolean =>
  (binding.subjects ?? []).some(({ type, name }) =>
    type === 'User' ? name === principal.username : type === 'Group' && principal.groups.includes(name),
  );

/** The rules of a bound role, or why there are none. */
export const rulesOf = (table: Resources, binding: Binding, namespace: string): readonly Rule[] | string => {
  const name = binding.role_ref?.name ?? '';
  const inNamespace = binding.role_ref?.type === 'Role';
  const role: Resource | undefined = inNamespace
    ? table.get('roles', namespace, name)
    : table.get('clusterroles', '', name);
  if (role === undefined) return `${inNamespace ? 'role' : 'cluster role'} not found: ${name}`;
  return (role.rules as readonly Rule[] | null | undefined) ?? [];
};

/** Cluster-wide bindings first, then those of the namespace; the first matching rule decides. */
export const authorize = (table: Resources, principal: Principal, request: AccessRequest): AccessDecision => {
  const scopes = [
    { bindings: table.list('clusterrolebindings').items, namespace: '' },
    ...(request.namespace === ''
      ? []
      : [
          {
            bindings: table.list('rolebindings', { namespace: request.namespace }).items,
            namespace: request.namespace,
          },
        ]),
  ];
  for (const { bindings, namespace } of scopes) {
    for (const binding of bindings as readonly Binding[]) {
      if (!binds(binding, principal)) continue;
      const rules = rulesOf(table, binding, namespace);
      if (typeof rules === 'string') return { allow: false, why: 'roleMissing', message: rules };
      if (rules.some((rule) => ruleAllows(rule, request)))
        return { allow: true, by: binding.metadata?.name ?? '' };
    }
  }
  return denied(principal, request);
};

/** The namespaces in which a principal may do something; undefined: in all. */
export const namespacesWhere = (
  table: Resources,
  principal: Principal,
  right: Pick<AccessRequest, 'verb' | 'resource'>,
): readonly string[] | undefined => {
  const allows = (namespace: string): boolean =>
    authorize(table, principal, { ...right, namespace, resourceName: '' }).allow;
  if (allows('')) return undefined;
  return table
    .list('namespaces')
    .items.map(({ name }) => String(name))
    .filter(allows);
};

/** Whether a principal can see a namespace: by a cluster-wide rule on namespaces, or by any binding in it. */
export const seesNamespace = (table: Resources, principal: Principal, namespace: string): boolean => {
  const request = { resource: 'namespaces', namespace: '', resourceName: namespace } as const;
  if (authorize(table, principal, { ...request, verb: 'get' }).allow) return true;
  if (authorize(table, principal, { ...request, verb: 'list' }).allow) return true;
  const inside = table.list('rolebindings', { namespace }).items as readonly Binding[];
  return inside.some((binding) => binds(binding, principal));
};
