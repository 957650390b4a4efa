// Roles and bindings: the generic routes, plus protection against privilege escalation.
import type { Resources } from '../../actors/resources/resources.ts';
import {
  clusterRoleBindingKind,
  clusterRoleKind,
  roleBindingKind,
  roleKind,
} from '../../model/kinds/access.ts';
import { requireRightsOfBinding, requireRightsOfRole } from '../grants.ts';
import { type ResourceHabits, resourceRoutes } from '../resource-routes.ts';
import type { GuardedRoute } from '../route.ts';

export const accessRoutes = (table: Resources): readonly GuardedRoute[] => {
  const held = (require: typeof requireRightsOfRole): ResourceHabits => ({
    mayWrite: (resource, { principal, parameters }, previous) =>
      require(table, principal, resource, previous, parameters.namespace ?? ''),
  });
  return [
    ...[clusterRoleKind, roleKind].flatMap((kind) => resourceRoutes(kind, table, held(requireRightsOfRole))),
    ...[clusterRoleBindingKind, roleBindingKind].flatMap((kind) =>
      resourceRoutes(kind, table, held(requireRightsOfBinding)),
    ),
  ];
};
