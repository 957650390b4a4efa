// The figures the event index keeps to. Units are in the names.

/** Changes remembered for those who follow a list: at 5,000 results a second more than a second of them. */
export const keptChanges = 8_192;
/** Events whose silences are looked at again before other work gets a turn. */
export const remarkedPerTurn = 1_000;
/** Longest time a search holds the loop, milliseconds, give or take one batch. */
export const searchTurnMs = 4;
/** Events looked at between two looks at the clock. */
export const searchBatch = 64;
/** Events above one that are looked at for its mask: what it depends on, and what that depends on. */
export const maxAncestors = 64;
/** Masks of one event that are named. */
export const maxNamedMasks = 16;
/** Cycles of dependencies that are reported at once. */
export const maxReportedCycles = 20;
