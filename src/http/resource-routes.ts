// The generic routes of a kind: list, create, read, replace, patch, delete, derived from the table of kinds. Kinds
// with special behavior customize a step (`ResourceHabits`) or add routes.
import type { Resource, ResourceId } from '../actors/resources/resource-table.ts';
import type { Resources } from '../actors/resources/resources.ts';
import { MonError } from '../model/errors.ts';
import { etagOf } from '../model/resource/etag.ts';
import { patchResource } from '../model/resource/merge-patch.ts';
import type { Operation, ResourceKind } from '../model/resource/resource-kind.ts';
import { objectBody } from './body.ts';
import { checkConditions } from './conditions.ts';
import { answerList, listRequest, selectorFilter } from './listing.ts';
import {
  bodyFor,
  checkName,
  checkPatchType,
  decodeResource,
  placeBody,
  validateResource,
  withAuthor,
} from './resource-bodies.ts';
import {
  type AccessRule,
  type Answer,
  type AuthenticatedCall,
  type Call,
  created,
  type GuardedRoute,
  noContent,
  okWithTag,
  parameter,
} from './route.ts';
import { type RouteDoc, resourceDocs } from './route-doc.ts';

/** Customizations of a kind. */
export interface ResourceHabits {
  /**
   * Completes a decoded resource before validation, e.g. derived names and stamps. `previous` is set if it replaces
   * a resource.
   */
  readonly complete?: (
    resource: Resource,
    call: AuthenticatedCall,
    previous: Resource | undefined,
  ) => Resource;
  /** Throws `permissionDenied` if the caller may write resources of this kind but not this one. */
  readonly mayWrite?: (resource: Resource, call: AuthenticatedCall, previous: Resource | undefined) => void;
  /** Hides resources from readers, e.g. expired silences. */
  readonly visible?: (resource: Resource, call: AuthenticatedCall) => boolean;
  /** Warnings about a resource that was created or replaced. */
  readonly warnings?: (resource: Resource) => Promise<readonly string[]>;
  /** Replaces the deletion; resolves to false if there is nothing. */
  readonly remove?: (
    id: ResourceId,
    call: AuthenticatedCall,
    check: (current: Resource) => void,
  ) => Promise<boolean>;
  /** Called after a create or replace was committed. */
  readonly written?: (name: string, call: AuthenticatedCall) => Promise<void>;
  /** The response to a replace. Default: 201 with an empty body. */
  readonly replaced?: (resource: Resource) => Answer;
  /** The OpenAPI description of that response. */
  readonly replacedDoc?: RouteDoc['answers'];
  /** Replaces the access rule for reading one resource. */
  readonly readOne?: 'login' | AccessRule;
  readonly list?: 'login';
  /** The generic operations to offer, if the kind has its own routes for the others. */
  readonly only?: readonly Operation[];
}

export const collectionUrl = (kind: ResourceKind): string =>
  kind.namespaced ? `${kind.basePath}/namespaces/:namespace/${kind.path}` : `${kind.basePath}/${kind.path}`;

export const resourceRoutes = (
  kind: ResourceKind,
  table: Resources,
  habits: ResourceHabits = {},
): readonly GuardedRoute[] => {
  const idOf = (call: Call): ResourceId => ({
    segment: kind.path,
    namespace: kind.namespaced ? parameter(call, 'namespace') : '',
    name: parameter(call, 'name'),
  });
  const finish = (decoded: Resource, call: AuthenticatedCall, previous: Resource | undefined): Resource => {
    const restored = kind.keepSecrets(decoded, previous);
    const completed = habits.complete?.(restored, call, previous) ?? restored;
    validateResource(kind, completed);
    habits.mayWrite?.(completed, call, previous);
    return withAuthor(completed, call.principal.username);
  };

  const seen = (resource: Resource, call: AuthenticatedCall): Resource | undefined =>
    habits.visible?.(resource, call) === false ? undefined : resource;
  const checkTag = (call: AuthenticatedCall, id: ResourceId, current: Resource | undefined): void => {
    checkConditions(call, keyOf(id), () => {
      const known = current === undefined ? undefined : seen(current, call);
      return known && kind.toWire(known);
    });
  };
  const createdWithTag = (resource: Resource): Answer =>
    created({ ETag: etagOf(JSON.stringify(kind.toWire(resource))) });

  const withWarnings = async (answer: Answer, resource: Resource): Promise<Answer> => {
    const warnings = (await habits.warnings?.(resource)) ?? [];
    return warnings.length === 0 ? answer : { ...answer, warnings };
  };

  const list = (call: AuthenticatedCall, namespace: string | undefined): Promise<Answer> => {
    const selected = selectorFilter<Resource>(call.query, kind);
    const wanted = typesFilter(kind, call);
    const filter = (resource: Resource): boolean =>
      wanted(resource) &&
      (habits.visible?.(resource, call) ?? true) &&
      (selected === undefined || selected(resource));
    const scope = namespace === undefined ? { filter } : { namespace, filter };
    return answerList(
      listRequest(call.query),
      (page) => table.list(kind.path, { ...scope, ...page }),
      kind.toWire,
    );
  };

  const create = async (call: AuthenticatedCall): Promise<Answer> => {
    const body = bodyFor(kind, call);
    const id = idOf(call);
    placeBody(kind, body, id.namespace);
    const resource = finish(decodeResource(kind, body), call, undefined);
    const name = kind.name(resource);
    await table.create({ ...id, name }, resource);
    await habits.written?.(name, call);
    return withWarnings(createdWithTag(resource), resource);
  };

  const replace = async (call: AuthenticatedCall): Promise<Answer> => {
    const body = bodyFor(kind, call);
    const id = idOf(call);
    placeBody(kind, body, id.namespace, id.name);
    const decoded = decodeResource(kind, body);
    checkName(kind, decoded, id.name);
    const resource = await table.replace(id, (current) => {
      checkTag(call, id, current);
      const finished = finish(decoded, call, current);
      checkName(kind, finished, id.name);
      return finished;
    });
    await habits.written?.(id.name, call);
    return withWarnings(habits.replaced?.(resource) ?? createdWithTag(resource), resource);
  };

  const read = (call: AuthenticatedCall): Answer => {
    const { segment, namespace, name } = idOf(call);
    const resource = table.get(segment, namespace, name);
    if (resource === undefined || habits.visible?.(resource, call) === false) throw new MonError('notFound');
    return okWithTag(kind.toWire(resource));
  };

  const patch = async (call: AuthenticatedCall): Promise<Answer> => {
    checkPatchType(call.headers['content-type']);
    const body = objectBody(call.body);
    const id = idOf(call);
    const changed = await table.update(id, (current) => {
      checkTag(call, id, current);
      const patched = patchResource(current, body, identityOf(kind, id));
      if (!patched.ok) throw new MonError('invalid', patched.message);
      const decoded = decodeResource(kind, patched.value);
      checkName(kind, decoded, id.name);
      return finish(decoded, call, current);
    });
    return okWithTag(kind.toWire(changed));
  };

  const remove = async (call: AuthenticatedCall): Promise<Answer> => {
    const id = idOf(call);
    const check = (current: Resource): void => checkTag(call, id, current);
    const removed = await (habits.remove?.(id, call, check) ?? table.delete(id, check));
    if (!removed) throw new MonError('notFound');
    return noContent;
  };

  return offered(kind, habits, { list, create, read, replace, patch, remove });
};

type Handle = GuardedRoute['handle'];

interface Handlers {
  readonly list: (call: AuthenticatedCall, namespace: string | undefined) => Promise<Answer>;
  readonly create: Handle;
  readonly read: Handle;
  readonly replace: Handle;
  readonly patch: Handle;
  readonly remove: Handle;
}

/** The routes of the operations that a kind has. */
const offered = (
  kind: ResourceKind,
  habits: ResourceHabits,
  { list, create, read, replace, patch, remove }: Handlers,
): readonly GuardedRoute[] => {
  const collection = collectionUrl(kind);
  const one = `${collection}/:name`;
  const onCollection: AccessRule = { resource: kind.rbacResource };
  const onOne: AccessRule = { resource: kind.rbacResource, name: ({ name }) => name ?? '' };
  const docs = resourceDocs(kind, habits.replacedDoc);
  const offer = (operation: Operation, route: Omit<GuardedRoute, 'doc'>) => ({
    operation,
    route: { ...route, doc: docs[operation] },
  });
  const routes = [
    offer('list', {
      method: 'GET',
      url: collection,
      access: habits.list ?? onCollection,
      handle: (call) => list(call, kind.namespaced ? parameter(call, 'namespace') : undefined),
    }),
    ...(kind.namespaced
      ? [
          offer('listAll', {
            method: 'GET',
            url: `${kind.basePath}/${kind.path}`,
            access: onCollection,
            handle: (call) => list(call, undefined),
          }),
        ]
      : []),
    offer('create', { method: 'POST', url: collection, access: onCollection, handle: create }),
    offer('get', { method: 'GET', url: one, access: habits.readOne ?? onOne, handle: read }),
    offer('put', { method: 'PUT', url: one, access: onOne, handle: replace }),
    offer('patch', { method: 'PATCH', url: one, access: onOne, handle: patch }),
    offer('delete', { method: 'DELETE', url: one, access: onOne, handle: remove }),
  ];
  const isOffered = (operation: Operation): boolean =>
    kind.operations.has(operation) && (habits.only?.includes(operation) ?? true);
  return routes.filter(({ operation }) => isOffered(operation)).map(({ route }) => route);
};

const identityOf = (kind: ResourceKind, { namespace, name }: ResourceId) =>
  kind.namespaced ? { name, namespace } : { name };

/** `?types=AD&types=OIDC` for kinds with several types. */
const typesFilter = (kind: ResourceKind, call: Call): ((resource: Resource) => boolean) => {
  const { types } = call.query;
  if (!kind.wrapped || types === undefined) return () => true;
  const wanted = new Set((typeof types === 'string' ? [types] : types).map((type) => type.toLowerCase()));
  return (resource) => wanted.has(String(resource.type).toLowerCase());
};

const keyOf = ({ segment, namespace, name }: ResourceId): string =>
  [segment, namespace, name].filter((part) => part !== '').join('/');
