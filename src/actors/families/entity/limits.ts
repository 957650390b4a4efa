// How much one entity may hold, each figure with its unit. 0 means no limit.

export interface EntityBounds {
  /** Checks of one entity, its keepalive not counted. */
  readonly maxChecks: number;
  /** Its last events together, bytes; events below `largeEventBytes` are not counted. */
  readonly maxBytes: number;
}

export const entityBounds: EntityBounds = { maxChecks: 2_000, maxBytes: 67_108_864 };

/** Events of at least this size count towards what an entity may hold. */
export const largeEventBytes = 4_096;
