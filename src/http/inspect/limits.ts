// The figures live inspection keeps to: watching must stay cheap for those who are watched. Units are in the names.

/** Transitions remembered for each watched actor. */
export const ringRecords = 50;
/** Watched actors at once; the one nobody has asked about for longest is let go first. */
export const maxWatchedActors = 1_000;
/** An actor stays watched this long after the last question about it. */
export const watchLeaseMs = 5 * 60_000;
/** Actors one stream may follow. */
export const maxActorsPerStream = 1_000;
/** Frames kept for clients that come back with `Last-Event-ID`. */
export const replayFrames = 2_000;

export const batchMs = 100;
/** Frames waiting for one client; past it the client is told how many it lost. */
export const maxPendingFrames = 1_000;
/** A client with more than this unread in its socket gets nothing new until it has read. */
export const maxUnreadBytes = 1_048_576;
/** A client that has not read anything for so long is cut. */
export const stalledClientMs = 10_000;
export const heartbeatMs = 15_000;
/** Streams that one connection carries. */
export const maxBundledStreams = 64;
/** A connection that carries streams says so often that it is alive: readers tell a dead one by its silence. */
export const bundleHeartbeatMs = 4_000;
/** A stream ends after this and comes back with a fresh token: a withdrawn permission ends with it. */
export const maxStreamMs = 4 * 60_000;

/** Between two looks at what changed in a list that is followed. */
export const feedTickMs = 250;
/** More changes at once than this, and the list is better read anew. */
export const maxFeedRows = 500;
export const maxRowOutputCharacters = 512;

/** Tries to control an actor that are kept beside the log. */
export const keptAudits = 200;

export const defaultPageSize = 100;
export const maxPageSize = 1_000;
/** Actors looked at before other work gets a turn. */
export const rowsPerTurn = 5_000;

/** Bounds of any value shown: a view is a look, not a dump. */
export const maxViewDepth = 12;
export const maxViewEntries = 200;
export const maxViewStringCharacters = 4_096;
/** An event in a stream frame is cut to this many entries and this depth. */
export const maxFrameDepth = 4;
export const maxFrameEntries = 40;
export const maxFrameStringCharacters = 256;
export const maxDiffEntries = 60;

export const maxStatusErrors = 10;
