// Attributes of the earlier generation that have no field in our resources. They are stored as JSON in one
// annotation, under the name that existing handlers and plugins already read.
import type { Entity } from '../entity/entity.ts';
import type { Metadata } from '../resource/metadata.ts';
import { isMap, type Json } from './json.ts';

export const attributesAnnotation = 'sensu.io.json_attributes';
/** Marks the entity of an earlier client. Its class is `proxy`, since no agent reports for it. */
export const clientLabel = 'mon.io/earlier_client';

/** Set on the check of every event of an earlier client: the id of its incident. */
export const incidentAnnotation = 'mon.io/incident';

/** A JSON object in an annotation. An operator may have put any text there: then it is empty. */
export const objectIn = ({ annotations }: Pick<Metadata, 'annotations'>, annotation: string): Json => {
  const stored = annotations?.[annotation];
  if (stored === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(stored);
    return isMap(parsed) ? parsed : {};
  } catch {
    return {};
  }
};

/** The annotated attributes of a check definition, a result or a client. */
export const attributesOf = (metadata: Pick<Metadata, 'annotations'>): Json =>
  objectIn(metadata, attributesAnnotation);

/**
 * Whether an entity represents an earlier client. An agent that takes over its name keeps the label but is not an
 * earlier client.
 */
export const isClientEntity = ({
  metadata,
  entity_class,
}: Pick<Entity, 'metadata' | 'entity_class'>): boolean =>
  metadata.labels?.[clientLabel] === 'true' && entity_class !== 'agent';
