// The figures of the API of the earlier generation, each with its unit.

export const maxBodyBytes = 1_048_576;
/** Subscriptions one connected client may have. */
export const maxSubscriptions = 1_024;
/** Unanswered messages of one client; a client that sends more is cut off. */
export const maxInHand = 2_048;
/** Their bytes; past it the client is not read until half of them are answered. */
export const maxInHandBytes = 16_777_216;
/** Bytes waiting to be taken by one client before it is cut off. */
export const maxBufferedBytes = 16_777_216;
export const pingIntervalMs = 20_000;
export const closeGraceMs = 2_000;
/** What Node watches over by itself; times in milliseconds. A request that takes longer is answered 408 and cut. */
export interface RequestTimeouts {
  readonly headersTimeout: number;
  /** Headers and body together. */
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}
/** A connection over which nothing moved for so long, in either direction, is cut; WebSockets have pings instead. */
export const stalledReaderMs = 30_000;
export const requestTimeouts: RequestTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
/** Answers of at least this size count as large. */
export const largeAnswerBytes = 65_536;
/** All large answers that are not read yet; beyond it a large answer is 503. */
export const maxUnreadAnswerBytes = 134_217_728;
/** Stashes that are kept. */
export const maxStashes = 10_000;
/** Bytes of the content of one stash, as JSON. */
export const maxStashBytes = 65_536;
/** Characters; a path is part of a key of the store. */
export const maxStashPathLength = 255;
