// Limits of live inspection, so that watching stays cheap. Units are in the names.

/** Number of transitions kept per watched actor. */
export const ringRecords = 50;
/** Maximum number of watched actors; the least recently requested one is released first. */
export const maxWatchedActors = 1_000;
/** How long an actor is watched after the last request for it. */
export const watchLeaseMs = 5 * 60_000;
/** Maximum number of actors per stream. */
export const maxActorsPerStream = 1_000;
/** Frames kept for clients that reconnect with `Last-Event-ID`. */
export const replayFrames = 2_000;

export const batchMs = 100;
/** Frames queued per client; beyond that the client is told how many it lost. */
export const maxPendingFrames = 1_000;
/** A client with more unread data than this gets nothing new until it reads. */
export const maxUnreadBytes = 1_048_576;
/** A client that has not read for this long is disconnected. */
export const stalledClientMs = 10_000;
export const heartbeatMs = 15_000;
/** Streams that one connection carries. */
export const maxBundledStreams = 64;
/** A connection that carries streams says so often that it is alive: readers tell a dead one by its silence. */
export const bundleHeartbeatMs = 4_000;
/** Maximum duration of a stream. The client reconnects with a new token, so revoked permissions take effect. */
export const maxStreamMs = 4 * 60_000;

/** Interval of change checks for a streamed list. */
export const feedTickMs = 250;
/** Groups of events told at once. */
export const maxGroups = 500;
/** With more changes than this, the client should reload the list. */
export const maxFeedRows = 500;
export const maxRowOutputCharacters = 512;

/** Number of actor control attempts kept in memory. */
export const keptAudits = 200;

export const defaultPageSize = 100;
export const maxPageSize = 1_000;
/** Number of actors processed before yielding to other work. */
export const rowsPerTurn = 5_000;

/** Limits for any displayed value. */
export const maxViewDepth = 12;
export const maxViewEntries = 200;
export const maxViewStringCharacters = 4_096;
/** Limits for an event in a stream frame: entries and depth. */
export const maxFrameDepth = 4;
export const maxFrameEntries = 40;
export const maxFrameStringCharacters = 256;
export const maxDiffEntries = 60;
