// Limits of the earlier generation's transports. Units are in the names.

/** Timeout of one connection attempt. */
export const connectTimeoutMs = 20_000;
/** Messages prefetched from a broker; they share commits. */
export const maxMessagesInHand = 100;
/**
 * Requests queued in a Redis list for the clients that share it; beyond that the oldest are dropped. Also those that a
 * RabbitMQ may leave unconfirmed.
 */
export const maxWaitingRequests = 1_000;
/**
 * Heartbeat interval of a broker. A broker that is silent twice as long is considered lost, before its clients
 * reach any sensible keepalive threshold.
 */
export const brokerHeartbeatSeconds = 10;
/** The same for Redis, which is pinged: interval and response timeout. */
export const redisPingMs = 10_000;
/** Timeout of one query to a sentinel. */
export const sentinelTimeoutMs = 10_000;
/** Timeout for closing a broker connection. */
export const closeTimeoutMs = 2_000;
/** Reconnect delays: 2 s, 4 s, ... 20 s. */
export const reconnectStepMs = 2_000;
export const maxReconnectDelayMs = 20_000;
/** A connection without any data for this long is considered dead. */
export const webSocketSilenceMs = 60_000;
export const webSocketPingMs = 20_000;
/** Default and upper bound of the maximum size of a keepalive or result. */
export const defaultMaxMessageBytes = 1_048_576;
export const maxMaxMessageBytes = 4_194_304;
/** Maximum WebSocket frame size: a message as a JSON string, which may double its length. */
export const maxFrameBytes = 2 * maxMaxMessageBytes + 1_024;
/** Maximum number of unacknowledged messages of a WebSocket client. */
export const maxUnanswered = 1_024;
