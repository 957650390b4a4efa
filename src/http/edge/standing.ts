// Decides whether a connected agent is still allowed. Users and rules change while sessions stay open for weeks, so
// the check of the handshake is repeated after changes.
import type { Resources } from '../../actors/resources/resources.ts';
import type { Principal } from '../auth/principal.ts';
import { authorize } from '../rbac.ts';

/** The permission an agent needs: to create events of an entity in its namespace. */
export const mayReport = (
  table: Resources,
  principal: Principal,
  namespace: string,
  resourceName: string,
): boolean =>
  authorize(table, principal, { verb: 'create', resource: 'events', namespace, resourceName }).allow;

const segments = ['users', 'roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] as const;

/** A counter of changes to users and rules; cached permission checks are valid while it is unchanged. */
export interface RulesVersion {
  current(): number;
  stop(): void;
}

export const createRulesVersion = (table: Resources): RulesVersion => {
  let changes = 0;
  const stops = segments.map((segment) =>
    table.watch(segment, () => {
      changes += 1;
    }),
  );
  return {
    current: () => changes,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
};

/**
 * Calls the listener at most once per event loop turn in which users or rules changed. Returns an unsubscribe
 * function.
 */
export const watchRules = (table: Resources, listener: () => void): (() => void) => {
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
