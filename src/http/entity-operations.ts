// Entity operations for operators. An entity has a half set by operators and a half reported by its agent. Writes
// change only the first half; an entity managed by its agent cannot be changed here. The routes of core/v2 and
// core/v3 both use these operations.
import { SerialQueues } from '../actors/resources/write-order.ts';
import { isManagedByAgent } from '../machines/entity/registration-rule.ts';
import { type Entity, type EntityConfig, withOwnSubscription } from '../model/entity/entity.ts';
import { MonError } from '../model/errors.ts';
import { entityKind } from '../model/kinds/watching.ts';
import { patchResource } from '../model/resource/merge-patch.ts';
import { redacted } from '../model/resource/redaction.ts';
import type { BackendPort } from './backend-port.ts';
import type { JsonObject } from './body.ts';
import { checkConditions, isConditional } from './conditions.ts';
import { answerList, listRequest, selectorFilter } from './listing.ts';
import { checkPatchType, decodeResource, placeBody, validateResource } from './resource-bodies.ts';
import { type Answer, type AuthenticatedCall, type Call, parameter } from './route.ts';

/** The representation of an entity on a route; its ETags identify states. */
export type EntityForm = (entity: Entity) => Record<string, unknown>;

export interface EntityOperations {
  list(call: Call, form: EntityForm): Promise<Answer>;
  /** Rejects with `notFound`. */
  read(call: Call): Promise<Entity>;
  /**
   * Rejects with `invalid`, `alreadyExists`, `conflict` (managed by its agent), `paymentRequired` or `notFound` (no
   * such namespace).
   */
  create(call: AuthenticatedCall, body: JsonObject): Promise<Entity>;
  replace(call: AuthenticatedCall, body: JsonObject, form: EntityForm): Promise<Entity>;
  patch(call: AuthenticatedCall, body: JsonObject, form: EntityForm): Promise<Entity>;
  remove(call: Call, form: EntityForm): Promise<void>;
}

const refuseManaged = (entity: Entity | undefined): void => {
  if (entity !== undefined && isManagedByAgent(entity))
    throw new MonError('conflict', `entity ${entity.metadata.name} is managed by its agent`);
};

/** Adds author, own subscription and the reported half of the previous entity. */
const complete = (sent: Entity, username: string, previous: Entity | undefined): Entity => {
  const entity = keepHidden(sent, previous);
  const reported =
    previous === undefined || previous.entity_class === 'proxy'
      ? {}
      : {
          system: previous.system,
          last_seen: previous.last_seen,
          mon_agent_version: previous.mon_agent_version,
        };
  return {
    ...withOwnSubscription(entity),
    ...reported,
    metadata: { ...entity.metadata, created_by: username },
  };
};

/** Clients write back whole entities, so a `REDACTED` value is replaced by the stored one. */
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

/** The half set by operators. */
export const configOf = (entity: Entity): EntityConfig => {
  const { system: _system, last_seen: _seen, mon_agent_version: _version, ...config } = entity;
  return config;
};

export const createEntityOperations = (backend: BackendPort): EntityOperations => {
  const queues = new SerialQueues();
  /** Serializes writes to one entity, so that each sees the result of the previous one. */
  const inTurn = <T>(call: Call, work: () => Promise<T>): Promise<T> =>
    queues.run(`${parameter(call, 'namespace')}/${parameter(call, 'name')}`, work);

  const stored = (call: Call): Promise<Entity | undefined> =>
    backend.readEntity(parameter(call, 'namespace'), parameter(call, 'name'));

  const read = async (call: Call): Promise<Entity> => {
    const entity = await stored(call);
    if (entity === undefined) throw new MonError('notFound');
    return entity;
  };

  const decodeBody = (call: AuthenticatedCall, body: JsonObject): Entity => {
    const namespace = parameter(call, 'namespace');
    if (!backend.resources.hasNamespace(namespace))
      throw new MonError('notFound', `the namespace ${namespace} does not exist`);
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

  const save = (entity: Entity, create: boolean, isPartial = false): Promise<Entity> => {
    return backend.putEntity(entity, { create, isPartial });
  };

  return {
    read,
    list(call, form) {
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
        form,
      );
    },
    create: async (call, body) =>
      save(complete(decodeBody(call, body), call.principal.username, undefined), true),
    replace: (call, body, form) =>
      inTurn(call, async () => {
        const entity = decodeBody(call, body);
        const previous = await stored(call);
        checkTag(call, previous, form);
        refuseManaged(entity);
        refuseManaged(previous);
        return save(complete(entity, call.principal.username, previous), false);
      }),
    patch: (call, body, form) =>
      inTurn(call, async () => {
        checkPatchType(call.headers['content-type']);
        const previous = await read(call);
        refuseManaged(previous);
        checkTag(call, previous, form);
        const patched = patchResource(configOf(previous), body, {
          name: parameter(call, 'name'),
          namespace: parameter(call, 'namespace'),
        });
        if (!patched.ok) throw new MonError('invalid', patched.message);
        const decoded = decodeResource(entityKind, patched.value) as unknown as Entity;
        validateResource(entityKind, decoded as never);
        refuseManaged(decoded);
        const { system, last_seen, mon_agent_version } = previous;
        const entity = { ...decoded, system, last_seen, mon_agent_version };
        return save(complete(entity, call.principal.username, previous), false, true);
      }),
    remove: (call, form) =>
      inTurn(call, async () => {
        if (isConditional(call)) checkTag(call, await stored(call), form);
        if (!(await backend.deleteEntity(parameter(call, 'namespace'), parameter(call, 'name'))))
          throw new MonError('notFound');
      }),
  };
};

const checkTag = (call: Call, current: Entity | undefined, form: EntityForm): void =>
  checkConditions(
    call,
    `entities/${call.parameters.namespace}/${call.parameters.name}`,
    () => current && form(current),
  );
