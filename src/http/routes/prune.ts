// Pruning: deletes resources that the command line wrote from files and that the files sent here no longer
// describe. Only what carries the label of the command line is considered, and only what the caller may delete.
import { z } from 'zod';
import type { Resource, ResourceId } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import { managedByCtlLabels } from '../../model/entity/reserved-labels.ts';
import { MonError } from '../../model/errors.ts';
import { metadataOf, type ResourceKind } from '../../model/resource/resource-kind.ts';
import { resourceKinds } from '../../model/resource/resource-kinds.ts';
import { decode } from '../../model/schema/decode.ts';
import { selectorFilter } from '../listing.ts';
import { authorize } from '../rbac.ts';
import type { AuthenticatedCall, GuardedRoute } from '../route.ts';
import { json } from '../route-doc.ts';

const identitySchema = z.looseObject({
  type: z.string(),
  api_version: z.string().default('core/v2'),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
const keptSchema = z.union([z.array(identitySchema), identitySchema.transform((one) => [one])]);

const prunedSchema = z.array(
  z.object({
    type: z.string(),
    api_version: z.string(),
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()),
    created_by: z.string(),
  }),
);

/** Kinds that a plain delete removes, ordered so that a resource is deleted before those it refers to. */
const prunable = [...resourceKinds]
  .reverse()
  .filter(
    ({ operations, routes }) =>
      operations.has('delete') && !['event', 'entity', 'namespace', 'user', 'apiKey'].includes(routes),
  );

const wordsOf = (value: string | readonly string[] | undefined): readonly string[] =>
  (value === undefined ? [] : typeof value === 'string' ? [value] : value)
    .flatMap((text) => text.split(','))
    .filter((word) => word !== '');

const isOn = (call: AuthenticatedCall, name: string): boolean => {
  const value = call.query[name];
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new MonError('invalid', `${name} must be true or false (got ${JSON.stringify(value)})`);
};

const typesOf = (kind: ResourceKind): readonly string[] =>
  kind.types.map((type) => `${kind.apiVersion}.${type}`);

const kindsAsked = (call: AuthenticatedCall): readonly ResourceKind[] => {
  const types = wordsOf(call.query.types);
  if (types.length === 0)
    throw new MonError('invalid', 'types is required: full names such as core/v2.CheckConfig');
  const known = new Set(resourceKinds.flatMap(typesOf));
  const unknown = types.find((type) => !known.has(type));
  if (unknown !== undefined)
    throw new MonError(
      'invalid',
      `types: there is no type ${unknown}; full names are such as core/v2.CheckConfig`,
    );
  return prunable.filter((kind) => typesOf(kind).some((type) => types.includes(type)));
};

const keyOf = (type: string, apiVersion: string, namespace: string, name: string): string =>
  JSON.stringify([type, apiVersion, namespace, name]);

const typeOf = (kind: ResourceKind, resource: Resource): string =>
  kind.wrapped ? String(resource.type) : kind.type;

const isManaged = (resource: Resource): boolean => {
  const labels = metadataOf(resource).labels ?? {};
  return Object.entries(managedByCtlLabels).some(([label, value]) => labels[label] === value);
};

interface Found {
  readonly id: ResourceId;
  readonly identity: z.infer<typeof prunedSchema>[number];
}

const authorOf = (resource: Resource): string =>
  (resource.metadata as { readonly created_by?: string } | undefined)?.created_by ?? '';

export const pruneRoutes = (table: Resources): readonly GuardedRoute[] => {
  const find = (call: AuthenticatedCall): readonly Found[] => {
    const read = decode(keptSchema, call.body, 'resources');
    if (!read.ok) throw new MonError('invalid', read.message);
    const kept = new Set(
      read.value.map(({ type, api_version, metadata: { name, namespace = '' } }) =>
        keyOf(type, api_version, namespace, name),
      ),
    );
    const clusterWide = isOn(call, 'clusterWide');
    const users = new Set(wordsOf(call.query.users));
    if (users.size === 0) users.add(call.principal.username);
    const anybody = isOn(call, 'allUsers');
    const namespaces = wordsOf(call.query.namespaces);
    return kindsAsked(call).flatMap((kind) => {
      const selected = selectorFilter<Resource>({ labelSelector: call.query.labelSelector }, kind);
      const scopes = kind.namespaced
        ? namespaces.length === 0
          ? ['default']
          : namespaces
        : clusterWide
          ? ['']
          : [];
      return scopes.flatMap((namespace) =>
        table
          .list(kind.path, kind.namespaced ? { namespace } : {})
          .items.filter(
            (resource) =>
              isManaged(resource) &&
              (anybody || users.has(authorOf(resource))) &&
              (selected === undefined || selected(resource)) &&
              !kept.has(keyOf(typeOf(kind, resource), kind.apiVersion, namespace, kind.name(resource))),
          )
          .map((resource): Found => {
            const name = kind.name(resource);
            mustDelete(call, kind, namespace, name);
            return {
              id: { segment: kind.path, namespace, name },
              identity: {
                type: typeOf(kind, resource),
                api_version: kind.apiVersion,
                name,
                namespace,
                labels: kind.labels(resource),
                created_by: authorOf(resource),
              },
            };
          }),
      );
    });
  };

  /** Deletes nothing if the caller may not delete one of them. */
  const mustDelete = (call: AuthenticatedCall, kind: ResourceKind, namespace: string, name: string): void => {
    const decision = authorize(table, call.principal, {
      verb: 'delete',
      resource: kind.rbacResource,
      namespace,
      resourceName: name,
    });
    if (!decision.allow) throw new MonError('permissionDenied', decision.message);
  };

  return [
    {
      method: 'POST',
      url: '/api/enterprise/prune/v1alpha',
      access: 'login',
      doc: {
        tag: 'prune',
        summary: 'Delete managed resources that are not among those sent',
        query: {
          types: 'full names of types, such as core/v2.CheckConfig; repeat for several',
          namespaces: 'where; repeat for several (`default`)',
          users: 'only what these users wrote last; repeat for several (the caller)',
          allUsers: '`true`: of any author',
          clusterWide: '`true`: resources without a namespace too',
          dryRun: '`true`: nothing is deleted',
          labelSelector: 'keeps out of it what does not match',
        },
        body: {
          shape: json(keptSchema, [
            { type: 'CheckConfig', api_version: 'core/v2', metadata: { name: 'disk', namespace: 'default' } },
          ]),
        },
        answers: {
          201: {
            what: 'what was deleted, or would be',
            shape: json(prunedSchema, [
              {
                type: 'CheckConfig',
                api_version: 'core/v2',
                name: 'old',
                namespace: 'default',
                labels: { 'mon.io/managed_by': 'mon-ctl' },
                created_by: 'admin',
              },
            ]),
          },
        },
        refusals: [403],
      },
      handle: async (call) => {
        const found = find(call);
        if (!isOn(call, 'dryRun')) for (const { id } of found) await table.delete(id);
        return { status: 201, body: found.map(({ identity }) => identity) };
      },
    },
  ];
};
