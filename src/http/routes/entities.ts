// Entities in core/v2: both halves in one object.
import type { Entity } from '../../model/entity/entity.ts';
import { toWireEntityConfig } from '../../model/event/wire-shape.ts';
import { entityKind } from '../../model/kinds/watching.ts';
import { etagOf } from '../../model/resource/etag.ts';
import { redactEntity } from '../../model/resource/redaction.ts';
import { objectBody } from '../body.ts';
import { configOf, type EntityOperations } from '../entity-operations.ts';
import { collectionUrl } from '../resource-routes.ts';
import { type AccessRule, type GuardedRoute, noContent, ok, okWithTag } from '../route.ts';
import { one as oneOf, resourceDocs } from '../route-doc.ts';

const collection = collectionUrl(entityKind);
const one = `${collection}/:name`;
const onCollection: AccessRule = { resource: entityKind.rbacResource };
const onOne: AccessRule = { resource: entityKind.rbacResource, name: ({ name }) => name ?? '' };

const written = {
  200: { what: 'the stored entity', shape: oneOf(entityKind), headers: ['ETag'] },
} as const;
const generic = resourceDocs(entityKind, written);
const docs = {
  ...generic,
  create: { ...generic.create, answers: written, refusals: [402, 404, 409] },
  put: { ...generic.put, refusals: [402, 404, 409, 412] },
};

const form = (entity: Entity) => entityKind.toWire(entity as never);

export const entityRoutes = (entities: EntityOperations): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url: `${entityKind.basePath}/${entityKind.path}`,
    access: onCollection,
    doc: docs.listAll,
    handle: (call) => entities.list(call, form),
  },
  {
    method: 'GET',
    url: collection,
    access: onCollection,
    doc: docs.list,
    handle: (call) => entities.list(call, form),
  },
  {
    method: 'POST',
    url: collection,
    access: onCollection,
    doc: docs.create,
    handle: async (call) => okWithTag(form(await entities.create(call, objectBody(call.body)))),
  },
  {
    method: 'GET',
    url: one,
    access: onOne,
    doc: docs.get,
    handle: async (call) => okWithTag(form(await entities.read(call))),
  },
  {
    method: 'PUT',
    url: one,
    access: onOne,
    doc: docs.put,
    handle: async (call) => okWithTag(form(await entities.replace(call, objectBody(call.body), form))),
  },
  {
    method: 'PATCH',
    url: one,
    access: onOne,
    doc: docs.patch,
    // The response is the patched half; its ETag is that of the whole entity, as used by conditional requests.
    handle: async (call) => {
      const saved = await entities.patch(call, objectBody(call.body), form);
      return ok(toWireEntityConfig(configOf(redactEntity(saved))), {
        ETag: etagOf(JSON.stringify(form(saved))),
      });
    },
  },
  {
    method: 'DELETE',
    url: one,
    access: onOne,
    doc: docs.delete,
    handle: async (call) => {
      await entities.remove(call, form);
      return noContent;
    },
  },
];
