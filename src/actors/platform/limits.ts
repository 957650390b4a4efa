// Limits of what this backend watches about itself, each with its unit.

/** How often the watchdog compares what should have run with what did. */
export const watchdogLookMs = 5_000;
/** A check that is later than this has stopped. */
export const watchdogGraceMs = 15_000;
