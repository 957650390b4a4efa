// Users are disabled, change their password and leave groups while connections live for weeks: who somebody is now, who
// proved it a while ago by a password or a certificate.
import type { Resources } from '../../actors/resources/resources.ts';
import { findUser, groupsOf, passwordTagOf } from './credentials.ts';
import type { Principal } from './principal.ts';

/** The principal with the groups of now; null when the user is gone or disabled, or has another password. */
export const currentPrincipal = (table: Resources, principal: Principal): Principal | null => {
  const user = findUser(table, principal.username);
  // A certificate without a matching user acts in the agents' group (see the handshake).
  if (user === undefined) return principal.via === 'certificate' ? principal : null;
  const { passwordTag } = principal;
  const isOver = user.disabled === true || (passwordTag !== undefined && passwordTag !== passwordTagOf(user));
  return isOver ? null : { ...principal, groups: groupsOf(user) };
};
