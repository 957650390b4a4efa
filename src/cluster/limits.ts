// Limits and intervals of a cluster. Units are in the names.

/** Shards of a cluster. Part of the format of a database: it never changes. */
export const shardCount = 256;

/** Requests of one backend that wait for a reply; one more is refused. */
export const maxWaitingRequests = 4_096;
/** How often timeouts of requests are looked at. They fire at most this late. */
export const requestTickMs = 50;

/** A connection without any answer to two pings in a row is given up. */
export const busPingMs = 2_000;
/** How long connecting to one server may take. */
export const busConnectMs = 5_000;
/** The pause between two attempts to reach the same server, with as much again at random. */
export const busReconnectMs = 250;
/** After this a subscription that the server refused is tried again. */
export const busResubscribeMs = 2_000;
