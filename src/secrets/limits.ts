// The figures fetching secrets keeps to. Units are in the names.

/** Largest answer of a secrets store. */
export const maxAnswerBytes = 1_048_576;
/** The first wait before a store is asked again; doubles each time. */
export const retryDelayMs = 250;
export const maxRetryDelayMs = 5_000;
/** However many `max_retries` asks for. */
export const maxRetries = 20;
/** Where a provider says 0 or nothing, and the most it may say. */
export const defaultTimeoutMs = 60_000;
export const maxTimeoutMs = 600_000;
/** Requests of one provider that wait for its rate limit; more are refused. */
export const maxWaiting = 1_000;
