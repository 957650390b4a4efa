// Standing: whether an agent that is connected would still be let in. Users are disabled and rules change while sessions
// live for weeks; what the handshake asked is asked again when it may have changed.
import type { ResourceTable } from '../../actors/resources/resource-table.ts';
import { findUser, groupsOf } from '../auth/credentials.ts';
import type { Principal } from '../auth/principal.ts';
import { authorize } from '../rbac.ts';

/** The principal with the groups of now; null when the user is gone or disabled. */
export const currentPrincipal = (table: ResourceTable, principal: Principal): Principal | null => {
  const user = findUser(table, principal.username);
  // A certificate whose name is no user acts in the agents' group (see the handshake).
  if (user === undefined) return principal.via === 'certificate' ? principal : null;
  return user.disabled === true ? null : { ...principal, groups: groupsOf(user) };
};

/** What an agent needs: to create events of an entity in its namespace (agent sheet 1.4). */
export const mayReport = (
  table: ResourceTable,
  principal: Principal,
  namespace: string,
  resourceName: string,
): boolean =>
  authorize(table, principal, { verb: 'create', resource: 'events', namespace, resourceName }).allow;

const segments = ['users', 'roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] as const;

/** Calls the listener once a turn in which users or rules changed. Returns how to stop. */
export const watchRules = (table: ResourceTable, listener: () => void): (() => void) => {
  let scheduled = false;
  let stopped = false;
  const changed = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (!stopped) listener();
    });
  };
  const stops = segments.map((segment) => table.watch(segment, changed));
  return () => {
    stopped = true;
    for (const stop of stops) stop();
  };
};
