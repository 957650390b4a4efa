// Validation rules for entities.
import type { Entity, EntityConfig } from './entity.ts';
import { nameFault, namespaceFault } from './names.ts';

/** The first failing rule of an entity or its configuration half, or null. */
export const validateEntity = (entity: Entity | EntityConfig): string | null =>
  nameFault('entity name', entity.metadata.name) ??
  nameFault('entity class', entity.entity_class) ??
  namespaceFault(entity.metadata.namespace);
