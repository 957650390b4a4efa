// The limits of the statecharts and their rules, each with its unit in the name.

/** Results a check remembers. */
export const maxHistoryEntries = 21;
/** Event ids a check remembers, so that a repeated one is applied once. A sender keeps at most this many unanswered. */
export const maxRecentIds = 32;
/** Deliveries one check keeps waiting, in number and in bytes of JSON, before it drops what matters least. */
export const maxPendingDeliveries = 128;
export const maxPendingDeliveryBytes = 4 * 1024 * 1024;

/** Used when a keepalive names no interval or timeout. */
export const defaultKeepaliveIntervalSeconds = 20;
export const defaultKeepaliveTimeoutSeconds = 120;
/** Shortest wait for a sign of life; a shorter one alarms by accident. */
export const minKeepaliveTimeoutSeconds = 5;

/** Failed calls in a row after which a handler is left alone. */
export const circuitFailures = 5;
/** How long it is left alone the first time, and at most; doubled every time it fails again. */
export const minCircuitOpenMs = 10_000;
export const maxCircuitOpenMs = 300_000;

/** A line that lasted this long was a good one: after it an agent connects again at once. */
export const minGoodLineMs = 5_000;

/** Silence of a client of the earlier generation, unless it names thresholds of its own. */
export const defaultClientWarningSeconds = 120;
export const defaultClientCriticalSeconds = 180;
/** Subscriptions one client may have, and the characters of one. */
export const maxClientSubscriptions = 1_024;
export const maxClientSubscriptionCharacters = 256;
/** How often the silence of a client is told again while it lasts. */
export const clientRepeatMs = 30_000;

/** How long a bulk job is kept after its end, so that people see what came out. */
export const keptJobMs = 86_400_000;
/** Errors of single events that a bulk job keeps; the others are only counted. */
export const maxJobErrors = 50;
