// The figures of the earlier generation's transports, each with its unit.

/** One attempt to connect. */
export const connectTimeoutMs = 20_000;
/** Messages a broker hands to the backend before the first of them is dealt with: they share commits. */
export const maxMessagesInHand = 100;
/** Requests that wait in a list of Redis for one of the clients that share it; beyond it the oldest are dropped. */
export const maxWaitingRequests = 1_000;
/**
 * How often a broker shows that it is there. One that does not is given up after twice as long: before the silence of its
 * clients reaches any sensible threshold.
 */
export const brokerHeartbeatSeconds = 10;
/** The same for a Redis, which is asked, and has as long for its answer. */
export const redisPingMs = 10_000;
/** One question to a sentinel. */
export const sentinelTimeoutMs = 10_000;
/** How long a goodbye to a broker may take. */
export const closeTimeoutMs = 2_000;
/** Waits between attempts: 2 s, 4 s, ... 20 s. */
export const reconnectStepMs = 2_000;
export const maxReconnectDelayMs = 20_000;
/** A line over which nothing came for this long is dead. */
export const webSocketSilenceMs = 60_000;
export const webSocketPingMs = 20_000;
/** Largest keepalive or result the backend takes, unless it is told otherwise; and the most it can be told. */
export const defaultMaxMessageBytes = 1_048_576;
export const maxMaxMessageBytes = 4_194_304;
/** Largest frame over a WebSocket: a message as a JSON string, which may double its length. */
export const maxFrameBytes = 2 * maxMaxMessageBytes + 1_024;
/** Most messages a WebSocket client may have unanswered. */
export const maxUnanswered = 1_024;
