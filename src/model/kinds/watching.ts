// Monitoring: checks, entities, events and silences.
import { checkConfigSchema } from '../check/check.ts';
import { validateCheckConfig } from '../check/check-rules.ts';
import { metadataTargetsFault } from '../check/dependencies.ts';
import { type Entity, entitySchema } from '../entity/entity.ts';
import { validateEntity } from '../entity/entity-rules.ts';
import { type Event, eventSchema } from '../event/event.ts';
import { eventField, eventFields, eventLabels } from '../event/event-fields.ts';
import { validateEvent } from '../event/event-rules.ts';
import { toWireCheck, toWireEntity, toWireEvent } from '../event/wire-shape.ts';
import { redactEntity, redactEvent, shownLabels } from '../resource/redaction.ts';
import { defineKind } from '../resource/resource-kind.ts';
import { silencedSchema, validateSilenced } from '../silence/silenced.ts';
import { namespacedAll } from './operations.ts';

const readableEvent = (event: Event) => toWireEvent(redactEvent(event));
const readableEntity = (entity: Entity) => toWireEntity(redactEntity(entity));

export const checkKind = defineKind({
  type: 'CheckConfig',
  path: 'checks',
  summary: 'a command that agents run on a schedule, and where its results go',
  namespaced: true,
  routes: 'check',
  operations: namespacedAll,
  schema: checkConfigSchema,
  // Returned by the reference product in some responses; not writable there either.
  alsoKnown: ['scheduler'],
  selectorPrefix: 'check',
  subject: 'check',
  validate: validateCheckConfig,
  fields: ({ handlers, publish, round_robin, runtime_assets, subscriptions }) => ({
    handlers,
    publish,
    round_robin,
    runtime_assets,
    subscriptions,
  }),
  toWire: toWireCheck,
});

export const entityKind = defineKind({
  type: 'Entity',
  path: 'entities',
  summary: 'a monitored machine or other object',
  namespaced: true,
  routes: 'entity',
  operations: namespacedAll,
  schema: entitySchema,
  selectorPrefix: 'entity',
  subject: 'entity',
  validate: (entity) => validateEntity(entity) ?? metadataTargetsFault(entity.metadata),
  fields: ({ deregister, entity_class, subscriptions, user }) => ({
    deregister,
    entity_class,
    subscriptions,
    user,
  }),
  labels: shownLabels,
  toWire: readableEntity,
});

export const eventKind = defineKind({
  type: 'Event',
  path: 'events',
  summary: 'the latest result of a check on an entity',
  namespaced: true,
  routes: 'event',
  operations: ['list', 'listAll', 'create', 'get', 'put', 'delete'],
  schema: eventSchema,
  selectorPrefix: 'event',
  subject: '',
  validate: validateEvent,
  name: ({ entity, check }) => `${entity.metadata.name}/${check?.metadata.name ?? ''}`,
  namespace: ({ entity }) => entity.metadata.namespace ?? '',
  fields: eventFields,
  field: eventField,
  labels: eventLabels,
  toWire: readableEvent,
});

export const silencedKind = defineKind({
  type: 'Silenced',
  path: 'silenced',
  summary: 'suppresses alerts for a check, a subscription, or all events that a selector matches',
  namespaced: true,
  routes: 'silenced',
  operations: ['list', 'listAll', 'create', 'get', 'put', 'delete'],
  schema: silencedSchema,
  selectorPrefix: 'silenced',
  subject: 'silenced',
  validate: validateSilenced,
  fields: ({ check, creator, expire_on_resolve, subscription, reason }) => ({
    check,
    creator,
    expire_on_resolve,
    subscription,
    reason,
  }),
  optionalKeys: ['creator', 'check', 'reason', 'subscription', 'selector', 'windows'],
});
