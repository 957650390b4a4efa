// The fields and labels of events that selectors can use: in lists of events, and in silences.

import { shownLabel, shownLabels } from '../resource/redaction.ts';
import type { Event } from './event.ts';

/** Labels that label selectors see: those of the event, or else those of entity and check. */
export const eventLabels = ({ metadata, entity, check }: Event): Record<string, string> => {
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
  ['is_masked', ({ check }) => (check?.masked_by?.length ?? 0) > 0],
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

/** Every field of one event, labels included. */
export const eventFields = (event: Event): Record<string, unknown> => {
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
export const eventField = (event: Event, name: string): unknown => {
  if (!name.startsWith(labelStart)) return eventReaders.get(name)?.(event);
  const label = name.slice(labelStart.length);
  return (
    labelOf(event.metadata, label) ?? labelOf(event.check?.metadata, label) ?? shownLabel(event.entity, label)
  );
};

const fieldStart = 'event.';

/** Whether selectors find a field of this full name, such as `event.check.name`, in any event. All labels count. */
export const isEventField = (name: string): boolean => {
  if (name === `${fieldStart}namespace`) return true;
  const own = name.startsWith(fieldStart) ? name.slice(fieldStart.length) : '';
  return eventReaders.has(own) || (own.startsWith(labelStart) && own.length > labelStart.length);
};

/** Full names of all fields, except labels. */
export const eventFieldNames: readonly string[] = [
  `${fieldStart}namespace`,
  ...[...eventReaders.keys()].map((name) => `${fieldStart}${name}`),
];
