// The limits of agent sessions.

/** Agents that are sent a check request before the event loop turns: about a millisecond. */
export const requestBatch = 64;
/** Check requests on their way to agents; past this the waiting ones are written at once. */
export const maxQueuedRequests = 1_024;
