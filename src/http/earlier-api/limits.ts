// Limits of the earlier API. Units are in the names.

export const maxBodyBytes = 1_048_576;
/** Maximum number of subscriptions per connected client. */
export const maxSubscriptions = 1_024;
/** Maximum number of unacknowledged messages per client; clients above it are disconnected. */
export const maxInHand = 2_048;
/** Maximum total size of unacknowledged messages; above it, reading pauses until half of them are acknowledged. */
export const maxInHandBytes = 16_777_216;
/** Maximum number of bytes buffered for one client before it is disconnected. */
export const maxBufferedBytes = 16_777_216;
export const pingIntervalMs = 20_000;
export const closeGraceMs = 2_000;
/** Timeouts enforced by Node, in milliseconds. A request that takes longer is answered with 408 and disconnected. */
export interface RequestTimeouts {
  readonly headersTimeout: number;
  /** For headers and body together. */
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}
/** A connection without traffic in either direction for this long is closed; WebSockets use pings instead. */
export const stalledReaderMs = 30_000;
export const requestTimeouts: RequestTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/** Responses of at least this size count as large. */
export const largeAnswerBytes = 65_536;
/** Total size of unread large responses; above it, a large response becomes a 503. */
export const maxUnreadAnswerBytes = 134_217_728;
/** Maximum number of stashes. */
export const maxStashes = 10_000;
/** Maximum size of the content of one stash, as JSON. */
export const maxStashBytes = 65_536;
/** Maximum path length in characters; a path is part of a store key. */
export const maxStashPathLength = 255;
