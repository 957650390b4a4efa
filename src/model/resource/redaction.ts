// Redaction: hides sensitive values in labels and annotations when an entity is shown, passed to a handler or sent
// as JSON.
import type { Entity } from '../entity/entity.ts';

/** The default redact list. An entity's own list replaces it. */
export const defaultRedact: readonly string[] = [
  'password',
  'passwd',
  'pass',
  'api_key',
  'api_token',
  'access_key',
  'secret_key',
  'private_key',
  'secret',
];

export const redacted = 'REDACTED';

/** Ignores case and everything except letters and digits: `API-Key` equals `api_key`. */
const normalize = (key: string): string => key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const defaultKeys: ReadonlySet<string> = new Set(defaultRedact.map(normalize));

/** The normalized keys of a redact list. An absent or empty list means the default. */
export const redactSet = (redact: readonly string[] | null | undefined): ReadonlySet<string> =>
  redact && redact.length > 0 ? new Set(redact.map(normalize)) : defaultKeys;

type StringMap = Record<string, string>;

/** A copy with the listed values hidden, or the map itself if there is nothing to hide. */
export const redactMap = <T extends StringMap | null | undefined>(map: T, keys: ReadonlySet<string>): T => {
  if (!map || !Object.keys(map).some((key) => keys.has(normalize(key)))) return map;
  const entries = Object.entries(map).map(([key, value]): [string, string] => [
    key,
    keys.has(normalize(key)) ? redacted : value,
  ]);
  return Object.fromEntries(entries) as T;
};

/** One label after redaction. Selectors compare this value, so that they cannot reveal hidden values. */
export const shownLabel = (entity: Redactable, label: string): string | undefined => {
  const { labels } = entity.metadata;
  if (!labels || !Object.hasOwn(labels, label)) return undefined;
  return redactSet(entity.redact).has(normalize(label)) ? redacted : labels[label];
};

/** All labels after redaction. */
export const shownLabels = ({ metadata, redact }: Redactable): StringMap =>
  redactMap(metadata.labels, redactSet(redact)) ?? {};

type Redactable = Pick<Entity, 'metadata' | 'redact'>;

/** The redacted entity, or the entity itself if there is nothing to hide. */
export const redactEntity = <T extends Redactable>(entity: T): T => {
  const { labels, annotations } = entity.metadata;
  if (!labels && !annotations) return entity;
  const keys = redactSet(entity.redact);
  const readable = { labels: redactMap(labels, keys), annotations: redactMap(annotations, keys) };
  if (readable.labels === labels && readable.annotations === annotations) return entity;
  return { ...entity, metadata: { ...entity.metadata, ...readable } };
};

/** The same for objects that contain an entity. */
export const redactEvent = <T extends { readonly entity: Entity }>(event: T): T => {
  const entity = redactEntity(event.entity);
  return entity === event.entity ? event : { ...event, entity };
};
