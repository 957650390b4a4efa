// The figures the agent keeps to. Units are in the names.

/** Longest wait for the backend's first entity_config of a session. */
export const entityConfigWaitMs = 10_000;
/** How long a stopping agent may take before it stops without ceremony. */
export const stopDeadlineMs = 1_000;
/** How long a stopping agent waits for the last acknowledgements. */
export const lastAcksWaitMs = 300;
export const systemFactsRefreshMs = 20_000;
/** How often assets that nobody uses any more are looked for. */
export const assetPurgeIntervalMs = 3_600_000;
/** Most of a failed handshake's body that is shown. */
export const maxHandshakeErrorBytes = 1_024;
/** Handshakes refused with 402, 429 or 503 wait this many times longer than other failures. */
export const overloadedBackOffFactor = 2;
/** No acknowledgement for this long on an open connection, with events under way: connect anew and send them again. */
export const ackTimeoutMs = 60_000;

/** Most events kept in memory while there is no backend; then the oldest waiting one gives way. */
export const maxWaitingEvents = 1_000;
/** Most bytes (roughly) of events kept in memory. */
export const maxWaitingBytes = 67_108_864;

/** How long an event on disk stays there after the memory had no room for it. */
export const dropRetryMs = 10_000;

/** Most output kept of one command; the rest is read and thrown away. */
export const maxOutputBytes = 10_485_760;
/** Runs a check may have had, by name, whose issue times are remembered. */
export const maxRememberedChecks = 10_000;

/** A file of the queue on disk that is this long gets no further events. */
export const maxSegmentBytes = 1_048_576;
/** An empty file of the queue is kept for further events unless it is larger than this. */
export const maxEmptySegmentBytes = 65_536;
/** Most bytes of the queue on disk; then `POST /events` answers 500 until some were delivered. */
export const maxQueueBytes = 536_870_912;

/** Largest body of the agent's own HTTP API. */
export const maxApiBodyBytes = 1_048_576;
export const apiTimeoutMs = 15_000;
export const socketDeadlineMs = 5_000;
export const maxSocketBytes = 1_048_576;
export const maxSocketConnections = 256;
/** Longest StatsD line on a TCP connection: what a datagram could hold. */
export const maxStatsdLineBytes = 65_535;
/** Most lines of metrics one output may hold, and the longest of them. */
export const maxMetricPoints = 100_000;
export const maxMetricLineCharacters = 65_536;
