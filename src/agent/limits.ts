// Limits of the agent. Units are in the names.

/** Timeout for the first entity_config of a session. */
export const entityConfigWaitMs = 10_000;
/** Deadline of a graceful stop. */
export const stopDeadlineMs = 1_000;
/** How long a stopping agent waits for acknowledgements. */
export const lastAcksWaitMs = 300;
export const systemFactsRefreshMs = 20_000;
/** Interval in which unused assets are purged. */
export const assetPurgeIntervalMs = 3_600_000;
/** Maximum size of a handshake error body that is shown. */
export const maxHandshakeErrorBytes = 1_024;
/** Backoff factor after a handshake rejected with 402, 429 or 503. */
export const overloadedBackOffFactor = 2;
/** Without acknowledgements for this long while events are unacknowledged: reconnect and send them again. */
export const ackTimeoutMs = 60_000;

/** Maximum number of events in memory; above it the oldest waiting event is dropped. */
export const maxWaitingEvents = 1_000;
/** Approximate maximum size of events in memory. */
export const maxWaitingBytes = 67_108_864;

/**
 * Maximum number of messages that wait for one actor of the agent. Messages are handled as they come; they wait while the
 * actor restarts.
 */
export const maxActorMail = 4_096;

/** Retry delay for an event on disk that did not fit into memory. */
export const dropRetryMs = 10_000;

/** Maximum output kept per command; the rest is read and discarded. */
export const maxOutputBytes = 10_485_760;
/** Maximum number of checks whose last issue times are kept. */
export const maxRememberedChecks = 10_000;

/** Size at which a queue file is closed for further events. */
export const maxSegmentBytes = 1_048_576;
/** An empty queue file is reused unless it is larger than this. */
export const maxEmptySegmentBytes = 65_536;
/** Maximum size of the queue on disk; above it, `POST /events` returns 500 until events were delivered. */
export const maxQueueBytes = 536_870_912;

/** Maximum body size of the agent's HTTP API. */
export const maxApiBodyBytes = 1_048_576;
export const apiTimeoutMs = 15_000;
export const socketDeadlineMs = 5_000;
export const maxSocketBytes = 1_048_576;
export const maxSocketConnections = 256;
/** Maximum StatsD line length on a TCP connection, as for a datagram. */
export const maxStatsdLineBytes = 65_535;
/** Maximum number of metric lines per output, and their maximum length. */
export const maxMetricPoints = 100_000;
export const maxMetricLineCharacters = 65_536;
