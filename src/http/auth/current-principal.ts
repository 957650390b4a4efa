// Re-evaluates the principal of a long-lived connection: users are disabled, change their password and leave groups
// while connections stay open for weeks.
import type { Resources } from '../../actors/resources/resources.ts';
import { findUser, groupsOf, passwordTagOf } from './credentials.ts';
import type { Principal } from './principal.ts';

/** The principal with its current groups; null if the user is deleted or disabled, or has another password. */
export const currentPrincipal = (table: Resources, principal: Principal): Principal | null => {
  const user = findUser(table, principal.username);
  // A certificate without a matching user acts in the agents' group (see the handshake).
  if (user === undefined) return principal.via === 'certificate' ? principal : null;
  const { passwordTag } = principal;
  const isOver = user.disabled === true || (passwordTag !== undefined && passwordTag !== passwordTagOf(user));
  return isOver ? null : { ...principal, groups: groupsOf(user) };
};
