// Entities over HTTP: what operators set is one half, what agents report the other (API sheet 9.3). A write changes the
// first half only; an entity that its agent manages is the agent's alone.
import { Lanes } from '../../actors/resources/write-order.ts';
import type { Entity, EntityConfig } from '../../model/entity.ts';
import { MonError } from '../../model/errors.ts';
import { patchResource } from '../../model/merge-patch.ts';
import { entitySubscription } from '../../model/names.ts';
import { redacted } from '../../model/redaction.ts';
import { entityKind } from '../../model/resource-kinds.ts';
import { toWireEntityConfig } from '../../model/wire-shape.ts';
import type { BackendPort } from '../backend-port.ts';
import { objectBody } from '../body.ts';
import { checkConditions, isConditional } from '../conditions.ts';
import { answerList, listRequest, selectorFilter } from '../listing.ts';
import {
  checkPatchType,
  collectionUrl,
  decodeResource,
  placeBody,
  validateResource,
} from '../resource-routes.ts';
import {
  type AccessRule,
  type Answer,
  type AuthenticatedCall,
  type Call,
  type GuardedRoute,
  noContent,
  ok,
  okWithTag,
  parameter,
} from '../route.ts';
import { one as oneOf, resourceDocs } from '../route-doc.ts';

const collection = collectionUrl(entityKind);
const one = `${collection}/:name`;
const onCollection: AccessRule = { resource: entityKind.rbacResource };
const onOne: AccessRule = { resource: entityKind.rbacResource, name: ({ name }) => name ?? '' };

const written = { 200: { what: 'the entity as it is kept', shape: oneOf(entityKind) } } as const;
const generic = resourceDocs(entityKind, written);
const docs = {
  ...generic,
  create: { ...generic.create, answers: written, refusals: [402, 404, 409] },
  put: { ...generic.put, refusals: [402, 404, 409, 412] },
};

/** The label by which an agent says that its entity is its own business, in either dialect. */
const managedBy = [
  ['mon.io/managed_by', 'mon-agent'],
  ['sensu.io/managed_by', 'sensu-agent'],
] as const;

const refuseManaged = (entity: Entity | undefined): void => {
  const labels = entity?.metadata.labels ?? {};
  if (managedBy.some(([label, value]) => labels[label] === value))
    throw new MonError('conflict', 'entity is managed by its agent');
};

/** Stamped, reachable by name, and with the reported half of what was there before. */
const complete = (sent: Entity, username: string, previous: Entity | undefined): Entity => {
  const entity = keepHidden(sent, previous);
  const own = entitySubscription(entity.metadata.name);
  const reported =
    previous === undefined || previous.entity_class === 'proxy'
      ? {}
      : {
          system: previous.system,
          last_seen: previous.last_seen,
          mon_agent_version: previous.mon_agent_version,
        };
  const { subscriptions } = entity;
  return {
    ...entity,
    ...reported,
    subscriptions: subscriptions.includes(own) ? subscriptions : [...subscriptions, own],
    metadata: { ...entity.metadata, created_by: username },
  };
};

/** Clients read, edit and write whole entities: a value they saw as `REDACTED` is the one we have. */
const keepHidden = (entity: Entity, previous: Entity | undefined): Entity => {
  if (previous === undefined) return entity;
  const restore = (part: 'labels' | 'annotations') => {
    const values = entity.metadata[part];
    const before = previous.metadata[part] ?? {};
    if (!values) return values;
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        value === redacted && Object.hasOwn(before, key) ? (before[key] ?? value) : value,
      ]),
    );
  };
  return {
    ...entity,
    metadata: { ...entity.metadata, labels: restore('labels'), annotations: restore('annotations') },
  };
};

const configOf = (entity: Entity): EntityConfig => {
  const { system: _system, last_seen: _seen, mon_agent_version: _version, ...config } = entity;
  return config;
};

export const entityRoutes = (backend: BackendPort): readonly GuardedRoute[] => {
  const lanes = new Lanes();
  /** Writes to one entity, one after the other: each sees what the one before it left. */
  const inTurn =
    (work: (call: AuthenticatedCall) => Promise<Answer>) =>
    (call: AuthenticatedCall): Promise<Answer> =>
      lanes.run(`${parameter(call, 'namespace')}/${parameter(call, 'name')}`, () => work(call));

  const list = (call: Call): Promise<Answer> => {
    const { namespace } = call.parameters;
    const filter = selectorFilter<Entity>(call.query, entityKind);
    return answerList(
      listRequest(call.query),
      (page) =>
        backend.readEntities({
          ...(namespace === undefined ? {} : { namespace }),
          ...(filter === undefined ? {} : { filter }),
          ...page,
        }),
      entityKind.toWire,
    );
  };

  const stored = (call: Call): Promise<Entity | undefined> =>
    backend.readEntity(parameter(call, 'namespace'), parameter(call, 'name'));

  const decodeBody = (call: AuthenticatedCall): Entity => {
    const namespace = parameter(call, 'namespace');
    if (!backend.resources.hasNamespace(namespace))
      throw new MonError('notFound', `the namespace ${namespace} does not exist`);
    const body = objectBody(call.body);
    const name = call.parameters.name;
    placeBody(entityKind, body, namespace, name);
    const entity = decodeResource(entityKind, body) as unknown as Entity;
    if (name !== undefined && entity.metadata.name !== name)
      throw new MonError(
        'invalid',
        `the name of the resource (${entity.metadata.name}) does not match the name of the URI (${name})`,
      );
    validateResource(entityKind, entity as never);
    return entity;
  };

  const save = async (entity: Entity, create: boolean): Promise<Entity> => {
    const { namespace = '', name } = entity.metadata;
    if (!backend.admitsEntity(namespace, name))
      throw new MonError(
        'paymentRequired',
        'license required: the entity limit is reached; a valid license with a sufficient entity limit is required',
      );
    return backend.putEntity(entity, { create });
  };

  return [
    {
      method: 'GET',
      url: `${entityKind.basePath}/${entityKind.path}`,
      access: onCollection,
      doc: docs.listAll,
      handle: list,
    },
    { method: 'GET', url: collection, access: onCollection, doc: docs.list, handle: list },
    {
      method: 'POST',
      url: collection,
      access: onCollection,
      doc: docs.create,
      handle: async (call) => {
        const entity = complete(decodeBody(call), call.principal.username, undefined);
        return ok(entityKind.toWire((await save(entity, true)) as never));
      },
    },
    {
      method: 'GET',
      url: one,
      access: onOne,
      doc: docs.get,
      handle: async (call) => {
        const entity = await stored(call);
        if (entity === undefined) throw new MonError('notFound');
        return okWithTag(entityKind.toWire(entity as never));
      },
    },
    {
      method: 'PUT',
      url: one,
      access: onOne,
      doc: docs.put,
      handle: inTurn(async (call) => {
        const entity = decodeBody(call);
        const previous = await stored(call);
        checkTag(call, previous);
        refuseManaged(entity);
        refuseManaged(previous);
        const saved = await save(complete(entity, call.principal.username, previous), false);
        return ok(entityKind.toWire(saved as never));
      }),
    },
    {
      method: 'PATCH',
      url: one,
      access: onOne,
      doc: docs.patch,
      handle: inTurn(async (call) => {
        checkPatchType(call.headers['content-type']);
        const patch = objectBody(call.body);
        const previous = await stored(call);
        if (previous === undefined) throw new MonError('notFound');
        refuseManaged(previous);
        checkTag(call, previous);
        const patched = patchResource(configOf(previous), patch, {
          name: parameter(call, 'name'),
          namespace: parameter(call, 'namespace'),
        });
        if (!patched.ok) throw new MonError('invalid', patched.message);
        const decoded = decodeResource(entityKind, patched.value) as unknown as Entity;
        validateResource(entityKind, decoded as never);
        refuseManaged(decoded);
        const { system, last_seen, mon_agent_version } = previous;
        const entity = { ...decoded, system, last_seen, mon_agent_version };
        const saved = await save(complete(entity, call.principal.username, previous), false);
        return okWithTag(toWireEntityConfig(configOf(saved)));
      }),
    },
    {
      method: 'DELETE',
      url: one,
      access: onOne,
      doc: docs.delete,
      handle: inTurn(async (call) => {
        if (isConditional(call)) checkTag(call, await stored(call));
        if (!(await backend.deleteEntity(parameter(call, 'namespace'), parameter(call, 'name'))))
          throw new MonError('notFound');
        return noContent;
      }),
    },
  ];
};

const checkTag = (call: Call, current: Entity | undefined): void =>
  checkConditions(
    call,
    `entities/${call.parameters.namespace}/${call.parameters.name}`,
    current && entityKind.toWire(current as never),
  );
