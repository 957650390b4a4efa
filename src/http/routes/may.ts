// What the caller may do in a namespace, so that a page offers what works and says why the rest does not.
import { z } from 'zod';
import { resourceKinds } from '../../model/resource/resource-kinds.ts';
import type { BackendPort } from '../backend-port.ts';
import { authorize, seesNamespace } from '../rbac.ts';
import { type GuardedRoute, ok, parameter } from '../route.ts';
import { json } from '../route-doc.ts';

const verbs = ['get', 'list', 'create', 'update', 'delete'] as const;
const looking = ['inspect:get', 'inspect:control'] as const;

const maySchema = z.object({
  exists: z.boolean(),
  may: z.record(z.string(), z.array(z.string())),
  everywhere: z.record(z.string(), z.array(z.string())),
});
const example = { exists: true, may: { events: ['get', 'list'], actors: ['inspect:get'] }, everywhere: {} };

export const mayRoutes = ({ resources }: BackendPort): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url: '/api/inspect/v1/namespaces/:namespace/may',
    access: 'login',
    doc: {
      tag: 'inspection',
      summary: 'What you may do in a namespace, and what outside of all namespaces: verbs by resource',
      answers: {
        200: {
          what: 'verbs on any resource of a kind; rights on single ones by name are left out. `exists` is false, too, of a namespace you may not see',
          shape: json(maySchema, example),
        },
      },
    },
    handle: (call) => {
      const namespace = parameter(call, 'namespace');
      const may = (verb: string, resource: string, inside: string): boolean =>
        authorize(resources, call.principal, { verb, resource, namespace: inside, resourceName: '' }).allow;
      const rightsIn = (inside: string): Record<string, string[]> =>
        Object.fromEntries(
          [
            ...resourceKinds.map(({ path, rbacResource }) => [path, rbacResource, verbs] as const),
            ['actors', 'actors', looking] as const,
          ].map(([path, resource, words]) => [path, words.filter((verb) => may(verb, resource, inside))]),
        );
      const isSeen =
        resources.get('namespaces', '', namespace) !== undefined &&
        seesNamespace(resources, call.principal, namespace);
      return ok({ exists: isSeen, may: rightsIn(namespace), everywhere: rightsIn('') });
    },
  },
];
