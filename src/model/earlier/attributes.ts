// Attributes of the earlier generation that our resources have no field for: they travel in one annotation, as one
// JSON text, under the name that existing handlers and plugins already read.
import type { Entity } from '../entity.ts';
import type { Metadata } from '../metadata.ts';
import { isMap, type Json } from './json.ts';

export const attributesAnnotation = 'sensu.io.json_attributes';
/** Marks the entity of a client: its class is `proxy`, since no agent speaks for it. */
export const clientLabel = 'mon.io/earlier_client';

/** On the check of every event of a client: the id of its incident. */
export const incidentAnnotation = 'mon.io/incident';

/** What was annotated: of a check definition, a result or a client. */
export const attributesOf = ({ annotations }: Pick<Metadata, 'annotations'>): Json => {
  const stored = annotations?.[attributesAnnotation];
  if (stored === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(stored);
    return isMap(parsed) ? parsed : {};
  } catch {
    // An operator may have written anything there; then there are no further attributes.
    return {};
  }
};

/** Whether an entity stands for a client. An agent that takes over its name keeps the label, and is an agent. */
export const isClientEntity = ({
  metadata,
  entity_class,
}: Pick<Entity, 'metadata' | 'entity_class'>): boolean =>
  metadata.labels?.[clientLabel] === 'true' && entity_class !== 'agent';
