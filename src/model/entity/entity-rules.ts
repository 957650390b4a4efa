// Validation rules for entities.

import { nameFault, namespaceFault } from '../resource/names.ts';
import type { Entity, EntityConfig } from './entity.ts';

/** The first failing rule of an entity or its configuration half, or null. */
export const validateEntity = (entity: Entity | EntityConfig): string | null =>
  nameFault('entity name', entity.metadata.name) ??
  nameFault('entity class', entity.entity_class) ??
  namespaceFault(entity.metadata.namespace);
