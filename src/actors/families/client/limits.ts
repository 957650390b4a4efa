// The figures of the clients' registry, each with its unit.

/** How long a message of a broker waits that we cannot take for the moment. */
export const bridgeRetryMs = 1_000;
/** Longest a client that is being deleted is kept out, should we end meanwhile. */
export const maxDeletionMs = 30_000;
/** How long a refused message counts, and how often what is said of them may change. */
export const refusalKeptMs = 300_000;
export const refusalLookMs = 30_000;
/** Refused clients that are remembered, and of those the ones an event names. */
export const maxRefusedKept = 1_000;
export const maxRefusedShown = 20;
/** Results of brokers whose ids are remembered, to tell a second one with the same content. */
export const maxResultIds = 4_096;
