// What is watched and what is seen: checks, entities, events, silences.
import { checkConfigSchema } from '../check.ts';
import { validateCheckConfig } from '../check-rules.ts';
import { type Entity, entitySchema } from '../entity.ts';
import { validateEntity } from '../entity-rules.ts';
import { type Event, eventSchema } from '../event.ts';
import { validateEvent } from '../event-rules.ts';
import { redactEntity, redactEvent } from '../redaction.ts';
import { defineKind } from '../resource-kind.ts';
import { silencedSchema, validateSilenced } from '../silenced.ts';
import { toWireCheck, toWireEntity, toWireEvent } from '../wire-shape.ts';
import { namespacedAll } from './operations.ts';

const eventLabels = ({ metadata, entity, check }: Event): Record<string, string> => {
  const own = metadata.labels ?? {};
  if (Object.keys(own).length > 0) return { ...own };
  return { ...entity.metadata.labels, ...check?.metadata.labels };
};

const eventFields = ({ timestamp, entity, check, metadata }: Event): Record<string, unknown> => {
  const labels = { ...entity.metadata.labels, ...check?.metadata.labels, ...metadata.labels };
  const fields: Record<string, unknown> = {
    name: metadata.name ?? '',
    is_silenced: check?.is_silenced ?? false,
    timestamp,
    'entity.deregister': entity.deregister,
    'entity.entity_class': entity.entity_class,
    'entity.name': entity.metadata.name,
    'entity.subscriptions': entity.subscriptions,
  };
  for (const [label, value] of Object.entries(labels)) fields[`labels.${label}`] = value;
  if (check === undefined) return fields;
  for (const key of ['handlers', 'is_silenced', 'last_ok', 'publish', 'round_robin'] as const) {
    fields[`check.${key}`] = check[key];
  }
  fields['check.name'] = check.metadata.name;
  for (const key of ['runtime_assets', 'state', 'status', 'subscriptions'] as const) {
    fields[`check.${key}`] = check[key];
  }
  return fields;
};

const readableEvent = (event: Event) => toWireEvent(redactEvent(event));
const readableEntity = (entity: Entity) => toWireEntity(redactEntity(entity));

export const checkKind = defineKind({
  type: 'CheckConfig',
  path: 'checks',
  summary: 'what agents run, when, and where the results go',
  namespaced: true,
  routes: 'check',
  operations: namespacedAll,
  schema: checkConfigSchema,
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
  summary: 'a machine or thing being watched',
  namespaced: true,
  routes: 'entity',
  operations: namespacedAll,
  schema: entitySchema,
  selectorPrefix: 'entity',
  subject: 'entity',
  validate: validateEntity,
  fields: ({ deregister, entity_class, subscriptions, user }) => ({
    deregister,
    entity_class,
    subscriptions,
    user,
  }),
  toWire: readableEntity,
});

export const eventKind = defineKind({
  type: 'Event',
  path: 'events',
  summary: 'the last result of a check on an entity',
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
  labels: eventLabels,
  toWire: readableEvent,
});

export const silencedKind = defineKind({
  type: 'Silenced',
  path: 'silenced',
  summary: 'keeps alerts quiet for a check, a subscription or both',
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
  optionalKeys: ['creator', 'check', 'reason', 'subscription'],
});
