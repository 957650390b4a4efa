// Namespaces: users see those they have access to.
import { seedNamespace } from '../../actors/resources/seed.ts';
import { namespaceKind } from '../../model/kinds/access.ts';
import type { Namespace } from '../../model/resource/namespace.ts';
import type { BackendPort } from '../backend-port.ts';
import { seesNamespace } from '../rbac.ts';
import { resourceRoutes } from '../resource-routes.ts';
import { type GuardedRoute, ok } from '../route.ts';
import { listOf } from '../route-doc.ts';

export const namespaceRoutes = ({ resources }: BackendPort): readonly GuardedRoute[] => [
  ...resourceRoutes(namespaceKind, resources, {
    list: 'login',
    readOne: 'login',
    visible: (resource, call) =>
      seesNamespace(resources, call.principal, (resource as unknown as Namespace).name),
    written: (name) => seedNamespace(resources, name),
  }),
  {
    method: 'GET',
    url: '/api/enterprise/user-namespaces',
    access: 'login',
    doc: {
      tag: namespaceKind.path,
      summary: 'List the namespaces the caller has access to',
      answers: { 200: { what: 'their names', shape: listOf(namespaceKind) } },
    },
    handle: (call) =>
      ok(
        resources
          .list('namespaces')
          .items.filter(({ name }) => seesNamespace(resources, call.principal, String(name)))
          .map(({ name }) => ({ name })),
      ),
  },
];
