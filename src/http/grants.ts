// Prevents privilege escalation: a role, binding, group or key may not grant more than its author holds. Otherwise,
// permission to write any of these would be enough to become an administrator.
import type { Resource } from '../actors/resources/resource-table.ts';
import type { Resources } from '../actors/resources/resources.ts';
import { MonError } from '../model/errors.ts';
import { groupsOf, type StoredUser } from './auth/credentials.ts';
import type { Principal } from './auth/principal.ts';
import { type Binding, binds, type Rule, rulesOf, words } from './rbac.ts';

type Who = Pick<Principal, 'username' | 'groups'>;

/** The permissions of a subject in a namespace (empty: all namespaces). Bindings to missing roles grant nothing. */
const rulesHeldBy = (table: Resources, who: Who, namespace: string): readonly Rule[] => {
  const everywhere = table.list('clusterrolebindings').items as readonly Binding[];
  const inside =
    namespace === '' ? [] : (table.list('rolebindings', { namespace }).items as readonly Binding[]);
  const rules = (bindings: readonly Binding[], scope: string): readonly Rule[] =>
    bindings
      .filter((binding) => binds(binding, who))
      .flatMap((binding) => {
        const found = rulesOf(table, binding, scope);
        return typeof found === 'string' ? [] : found;
      });
  return [...rules(everywhere, ''), ...rules(inside, namespace)];
};

/** Every combination of verb, resource and name must be allowed by some rule the subject holds. */
const missingFrom = (held: readonly Rule[], wanted: Rule): string | null => {
  const names = words(wanted.resource_names);
  for (const verb of words(wanted.verbs))
    for (const resource of words(wanted.resources))
      for (const name of names.length === 0 ? [undefined] : names) {
        const isHeld = held.some((rule) => {
          const [verbs, resources, only] = [rule.verbs, rule.resources, rule.resource_names].map(words);
          return (
            (verbs?.includes('*') || verbs?.includes(verb)) &&
            (resources?.includes('*') || resources?.includes(resource)) &&
            (only?.length === 0 || (name !== undefined && only?.includes(name)))
          );
        });
        if (!isHeld) return `${verb} on ${resource}${name === undefined ? '' : ` ${name}`}`;
      }
  return null;
};

/**
 * Describes the first permission in the rules that the subject does not hold in the namespace; null if it holds
 * all.
 */
export const rightNotHeld = (
  table: Resources,
  who: Who,
  wanted: readonly Rule[],
  namespace: string,
): string | null => {
  const held = rulesHeldBy(table, who, namespace);
  for (const rule of wanted) {
    const missing = missingFrom(held, rule);
    if (missing !== null) return missing;
  }
  return null;
};

const everything: Rule = { verbs: ['*'], resources: ['*'], resource_names: null };

export const isClusterAdmin = (table: Resources, who: Who): boolean =>
  rightNotHeld(table, who, [everything], '') === null;

export const requireClusterAdmin = (table: Resources, who: Who, what: string): void => {
  if (isClusterAdmin(table, who)) return;
  throw new MonError('permissionDenied', `${who.username} may not ${what}: only cluster admins may`);
};

const where = (namespace: string): string => (namespace === '' ? 'everywhere' : `in namespace ${namespace}`);

const requireHeld = (
  table: Resources,
  who: Who,
  wanted: readonly Rule[],
  namespace: string,
  what: string,
): void => {
  const missing = rightNotHeld(table, who, wanted, namespace);
  if (missing !== null)
    throw new MonError(
      'permissionDenied',
      `${who.username} may not ${what}: it grants ${missing} ${where(namespace)}, which ${who.username} does not hold`,
    );
};

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** Throws `permissionDenied` if a role would grant more than its author holds. Labels can be changed on any role. */
export const requireRightsOfRole = (
  table: Resources,
  who: Who,
  role: Resource,
  previous: Resource | undefined,
  namespace: string,
): void => {
  if (previous !== undefined && isSame(previous.rules, role.rules)) return;
  const { name } = role.metadata as { readonly name: string };
  requireHeld(table, who, (role.rules ?? []) as readonly Rule[], namespace, `write the role ${name}`);
};

/** The same for a binding: the author must hold everything the role grants, and the role must exist. */
export const requireRightsOfBinding = (
  table: Resources,
  who: Who,
  written: Resource,
  previous: Resource | undefined,
  namespace: string,
): void => {
  const binding = written as Binding;
  if (
    previous !== undefined &&
    isSame(previous.subjects, binding.subjects) &&
    isSame(previous.role_ref, binding.role_ref)
  )
    return;
  const role = binding.role_ref?.name ?? '';
  const rules = rulesOf(table, binding, namespace);
  if (typeof rules !== 'string') return requireHeld(table, who, rules, namespace, `bind the role ${role}`);
  // The rules of a role that does not exist yet are unknown, so only cluster admins may bind it.
  if (!isClusterAdmin(table, who))
    throw new MonError(
      'permissionDenied',
      `${who.username} may not bind a role that does not exist: ${rules}`,
    );
};

/**
 * Throws `permissionDenied` if acting as this user would grant the caller more than it holds: for group changes,
 * passwords of other users, and keys.
 */
export const requireRightsOfUser = (table: Resources, who: Who, user: StoredUser, what: string): void => {
  const subject: Who = { username: user.username, groups: groupsOf(user) };
  for (const namespace of ['', ...table.list('namespaces').items.map(({ name }) => String(name))])
    requireHeld(table, who, rulesHeldBy(table, subject, namespace), namespace, what);
};
