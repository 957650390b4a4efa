// Entities in core/v3: the half set by operators and the half reported by agents, each wrapped, for clients that
// dump and restore resources by type. Access rules are those of `entities`. The reported half is read-only.
import { z } from 'zod';
import { type Entity, entityConfigSchema, systemSchema } from '../../model/entity/entity.ts';
import { MonError } from '../../model/errors.ts';
import { toWireEntity, toWireEntityConfig } from '../../model/event/wire-shape.ts';
import { entityKind } from '../../model/kinds/watching.ts';
import { etagOf } from '../../model/resource/etag.ts';
import { redactEntity } from '../../model/resource/redaction.ts';
import { isWrapped, readWrapped, unwrap, wrap } from '../../model/resource/wrapped.ts';
import { type JsonObject, objectBody } from '../body.ts';
import { configOf, type EntityForm, type EntityOperations } from '../entity-operations.ts';
import { type AccessRule, created, type GuardedRoute, noContent, okWithTag } from '../route.ts';
import { json, type RouteDoc, removedAnswer } from '../route-doc.ts';

const apiVersion = 'core/v3';
const root = `/api/${apiVersion}`;
const tag = 'entities';
const onCollection: AccessRule = { resource: entityKind.rbacResource };
const onOne: AccessRule = { resource: entityKind.rbacResource, name: ({ name }) => name ?? '' };

const metadataExample = { name: 'switch-1', namespace: 'default', labels: { rack: '7' } };

interface Half {
  readonly path: 'entity-configs' | 'entity-states';
  readonly type: 'EntityConfig' | 'EntityState';
  readonly noun: string;
  readonly form: EntityForm;
  readonly schema: z.ZodType;
  readonly example: object;
}

const wrappedSchema = (type: string, spec: z.ZodType) =>
  z.object({ type: z.literal(type), api_version: z.literal(apiVersion), metadata: z.looseObject({}), spec });

const wrapped = (type: string, resource: object) => ({ ...wrap(type, apiVersion, resource) });

const config: Half = {
  path: 'entity-configs',
  type: 'EntityConfig',
  noun: 'configuration of an entity',
  form: (entity) => wrapped('EntityConfig', toWireEntityConfig(configOf(redactEntity(entity)))),
  schema: wrappedSchema('EntityConfig', entityConfigSchema.omit({ metadata: true })),
  example: wrapped('EntityConfig', {
    metadata: metadataExample,
    entity_class: 'proxy',
    subscriptions: ['network', 'entity:switch-1'],
    deregister: false,
    deregistration: {},
  }),
};

const reportedKeys = ['system', 'last_seen', 'mon_agent_version', 'sensu_agent_version'] as const;

const stateForm = (entity: Entity): Record<string, unknown> => {
  const whole = toWireEntity(redactEntity(entity));
  const reported = Object.fromEntries(reportedKeys.map((key) => [key, whole[key]]));
  return wrapped('EntityState', { metadata: whole.metadata, ...reported });
};

const state: Half = {
  path: 'entity-states',
  type: 'EntityState',
  noun: 'reported state of an entity',
  form: stateForm,
  schema: wrappedSchema('EntityState', z.looseObject({ system: systemSchema, last_seen: z.int() })),
  example: wrapped('EntityState', {
    metadata: metadataExample,
    system: { hostname: 'switch-1', os: 'linux', arch: 'amd64' },
    last_seen: 1_700_000_000,
    mon_agent_version: '0.1.0',
  }),
};

/** Wrapped, as clients of this API version send it; unwrapped is accepted too. */
const bodyOf = (body: unknown): JsonObject => {
  const sent = objectBody(body);
  if (!isWrapped(sent)) return sent;
  const read = readWrapped(sent);
  if (!read.ok) throw new MonError('invalid', read.message);
  const { type, api_version: version } = read.value;
  if (type !== config.type) throw new MonError('invalid', `type must be "${config.type}" (got "${type}")`);
  if (version !== '' && version !== apiVersion)
    throw new MonError('invalid', `api_version must be "${apiVersion}" (got "${version}")`);
  return unwrap(read.value);
};

/** A patch uses the wrapped form: fields below `spec` and `metadata`. */
const patchOf = (body: unknown): JsonObject => {
  const { type: _type, api_version: _version, spec, ...rest } = objectBody(body);
  return spec === undefined ? rest : { ...rest, ...objectBody(spec) };
};

const readDocs = ({ noun, schema, example }: Half) => {
  const found = { what: `the ${noun}`, shape: json(schema, example), headers: ['ETag'] } as const;
  const list: RouteDoc = {
    tag,
    summary: `List each ${noun}`,
    query: 'list',
    answers: {
      200: { what: 'sorted by name', shape: json(z.array(schema), [example]), headers: ['Mon-Continue'] },
    },
  };
  const get: RouteDoc = { tag, summary: `Read the ${noun}`, answers: { 200: found } };
  return { list, get, found };
};

const readRoutes = (entities: EntityOperations, half: Half): readonly GuardedRoute[] => {
  const { list, get } = readDocs(half);
  const collection = `${root}/namespaces/:namespace/${half.path}`;
  const handle: GuardedRoute['handle'] = (call) => entities.list(call, half.form);
  return [
    { method: 'GET', url: `${root}/${half.path}`, access: onCollection, doc: list, handle },
    { method: 'GET', url: collection, access: onCollection, doc: list, handle },
    {
      method: 'GET',
      url: `${collection}/:name`,
      access: onOne,
      doc: get,
      handle: async (call) => okWithTag(half.form(await entities.read(call))),
    },
  ];
};

const writeRoutes = (
  entities: EntityOperations,
  { path, form, schema, example, noun }: Half,
): readonly GuardedRoute[] => {
  const url = `${root}/namespaces/:namespace/${path}/:name`;
  const shape = json(schema, example);
  return [
    {
      method: 'PUT',
      url,
      access: onOne,
      doc: {
        tag,
        summary: `Create or replace the ${noun}`,
        body: { shape },
        answers: { 201: { what: 'written; empty body', headers: ['ETag'] } },
        refusals: [402, 409, 412],
      },
      handle: async (call) => {
        const saved = await entities.replace(call, bodyOf(call.body), form);
        return created({ ETag: etagOf(JSON.stringify(form(saved))) });
      },
    },
    {
      method: 'PATCH',
      url,
      access: onOne,
      doc: {
        tag,
        summary: `Change some fields of the ${noun}`,
        body: { shape, mergePatch: true },
        answers: { 200: { what: `the ${noun}`, shape, headers: ['ETag'] } },
        refusals: [402, 409, 412],
      },
      handle: async (call) => okWithTag(form(await entities.patch(call, patchOf(call.body), form))),
    },
    {
      method: 'DELETE',
      url,
      access: onOne,
      doc: {
        tag,
        summary: 'Delete an entity with both halves and its events',
        answers: removedAnswer,
        refusals: [412],
      },
      handle: async (call) => {
        await entities.remove(call, form);
        return noContent;
      },
    },
  ];
};

export const entityV3Routes = (entities: EntityOperations): readonly GuardedRoute[] => [
  ...readRoutes(entities, config),
  ...writeRoutes(entities, config),
  ...readRoutes(entities, state),
];
