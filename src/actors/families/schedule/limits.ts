// Limits of scheduling, each with its unit.

/** Entities whose match with a proxy check is worked out side by side. */
export const maxCandidatesAtOnce = 1_000;
