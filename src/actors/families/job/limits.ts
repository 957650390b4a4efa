// Limits of bulk jobs, each with its unit.

/** Events of one job, and the bytes of their names: they are in its record. */
export const maxJobEvents = 10_000;
export const maxJobNameBytes = 2_097_152;
/** Jobs that wait or run at a time. */
export const maxLiveJobs = 20;
/** Jobs that are kept in all; those that ended make room, the oldest first. */
export const maxJobs = 100;
/** Events of one step: after it, the record is written. */
export const jobStepEvents = 100;
/** How long a step waits that the backend could not do: the store is away, or it is drowned. */
export const jobAgainMs = 5_000;
