// Limits for fetching secrets. Units are in the names.

/** Maximum response size of a secrets store. */
export const maxAnswerBytes = 1_048_576;
/** First retry delay; doubles with each retry. */
export const retryDelayMs = 250;
export const maxRetryDelayMs = 5_000;
/** Upper bound for `max_retries`. */
export const maxRetries = 20;
/** Default timeout (if 0 or not set) and upper bound. */
export const defaultTimeoutMs = 60_000;
export const maxTimeoutMs = 600_000;
/** Requests per provider that may wait for its rate limit; more are rejected. */
export const maxWaiting = 1_000;
