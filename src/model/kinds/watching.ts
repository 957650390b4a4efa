// Monitoring: checks, entities, events and silences.
import { checkConfigSchema } from '../check.ts';
import { validateCheckConfig } from '../check-rules.ts';
import { type Entity, entitySchema } from '../entity.ts';
import { validateEntity } from '../entity-rules.ts';
import { type Event, eventSchema } from '../event.ts';
import { validateEvent } from '../event-rules.ts';
import { redactEntity, redactEvent, shownLabel, shownLabels } from '../redaction.ts';
import { defineKind } from '../resource-kind.ts';
import { silencedSchema, validateSilenced } from '../silenced.ts';
import { toWireCheck, toWireEntity, toWireEvent } from '../wire-shape.ts';
import { namespacedAll } from './operations.ts';

const eventLabels = ({ metadata, entity, check }: Event): Record<string, string> => {
  const own = metadata.labels ?? {};
  if (Object.keys(own).length > 0) return { ...own };
  return { ...shownLabels(entity), ...check?.metadata.labels };
};

type EventReader = (event: Event) => unknown;
const ofCheck =
  (read: (check: NonNullable<Event['check']>) => unknown): EventReader =>
  ({ check }) =>
    check === undefined ? undefined : (read(check) ?? null);

/** All event fields that selectors can use, except labels. Undefined if an event has no field of this name. */
const eventReaders: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ['name', ({ metadata }) => metadata.name ?? ''],
  ['is_silenced', ({ check }) => check?.is_silenced ?? false],
  ['timestamp', ({ timestamp }) => timestamp],
  ['entity.deregister', ({ entity }) => entity.deregister],
  ['entity.entity_class', ({ entity }) => entity.entity_class],
  ['entity.name', ({ entity }) => entity.metadata.name],
  ['entity.subscriptions', ({ entity }) => entity.subscriptions],
  ['check.acknowledgement.owner', ofCheck(({ acknowledgement }) => acknowledgement?.owner ?? '')],
  ['check.name', ofCheck(({ metadata }) => metadata.name)],
  ...(
    [
      'handlers',
      'is_silenced',
      'last_ok',
      'publish',
      'round_robin',
      'runtime_assets',
      'state',
      'status',
      'subscriptions',
    ] as const
  ).map((key): [string, EventReader] => [`check.${key}`, ofCheck((check) => check[key])]),
]);

const eventFields = (event: Event): Record<string, unknown> => {
  const { entity, check, metadata } = event;
  const labels = { ...shownLabels(entity), ...check?.metadata.labels, ...metadata.labels };
  const known = [...eventReaders].map(([name, read]): [string, unknown] => [name, read(event)]);
  const labelled = Object.entries(labels).map(([label, value]): [string, unknown] => [
    `labels.${label}`,
    value,
  ]);
  return Object.fromEntries([...known.filter(([, value]) => value !== undefined), ...labelled]);
};

const labelStart = 'labels.';

const labelOf = (
  metadata: { readonly labels?: Readonly<Record<string, string>> | null | undefined } | undefined,
  label: string,
): string | undefined => {
  const labels = metadata?.labels;
  return labels && Object.hasOwn(labels, label) ? labels[label] : undefined;
};

/** One field of `eventFields`, without building the others; lists hold up to 50,000 events. */
const eventField = (event: Event, name: string): unknown => {
  if (!name.startsWith(labelStart)) return eventReaders.get(name)?.(event);
  const label = name.slice(labelStart.length);
  return (
    labelOf(event.metadata, label) ?? labelOf(event.check?.metadata, label) ?? shownLabel(event.entity, label)
  );
};

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
  validate: validateEntity,
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
  summary: 'suppresses alerts for a check, a subscription or both',
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
