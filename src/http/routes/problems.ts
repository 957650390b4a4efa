// Configuration problems: every resource with problems that the caller may read.
import { z } from 'zod';
import { resourceKinds } from '../../model/resource/resource-kinds.ts';
import type { BackendPort } from '../backend-port.ts';
import { authorize } from '../rbac.ts';
import { type GuardedRoute, ok } from '../route.ts';
import { json } from '../route-doc.ts';

const problemsSchema = z.array(
  z.object({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    problems: z.array(z.object({ why: z.string(), field: z.string(), message: z.string() })),
  }),
);

const example = [
  {
    kind: 'checks',
    namespace: 'default',
    name: 'disk',
    problems: [
      { why: 'missing', field: 'handlers', message: 'handlers: the handler "pager" does not exist' },
    ],
  },
];

const rbacNames: ReadonlyMap<string, string> = new Map(
  resourceKinds.map(({ path, rbacResource }) => [path, rbacResource]),
);

export const problemRoutes = (backend: BackendPort): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url: '/api/inspect/v1/problems',
    access: 'login',
    doc: {
      tag: 'problems',
      summary: 'List configuration problems: missing references, checks that no agent runs',
      query: { namespace: 'only resources of this namespace' },
      answers: {
        200: {
          what: 'the resources with problems that the caller may read',
          shape: json(problemsSchema, example),
        },
      },
    },
    handle: ({ query, principal }) => {
      const namespace =
        typeof query.namespace === 'string' && query.namespace !== '' ? query.namespace : undefined;
      const mayRead = (segment: string, inside: string, name: string): boolean =>
        authorize(backend.resources, principal, {
          verb: 'get',
          resource: rbacNames.get(segment) ?? null,
          namespace: inside,
          resourceName: name,
        }).allow;
      const found = backend.problems?.all(namespace) ?? [];
      return ok(
        found
          .filter(({ id }) => mayRead(id.segment, id.namespace, id.name))
          .map(({ id: { segment, ...id }, problems }) => ({ kind: segment, ...id, problems })),
      );
    },
  },
];
