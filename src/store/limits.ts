// Limits of the stores. Units are in the names.

/** Maximum key length in UTF-8 bytes. LMDB allows 1,978; the rest is for the prefix of quarantined keys. */
export const maxKeyBytes = 1_900;

/** Maximum size of an encoded record. A MongoDB document is limited to 16 MiB in total. */
export const maxRecordBytes = 12 * 1024 * 1024;

/** Number of entries a scan reads before it yields. */
export const scanPageEntries = 256;

/** A commit that has not ended by then fails with an unknown outcome. */
export const commitTimeoutMs = 30_000;

/** Address space LMDB maps at start. Not memory or disk: the file is sparse and the map grows. */
export const lmdbMapBytes = 1024 * 1024 * 1024;

/**
 * Up to this size every page of the file is checked at each start, in about half a second; above it only after a
 * process that did not close the store.
 */
export const maxAlwaysCheckedBytes = 256 * 1024 * 1024;

/** Free space reserved on the disk of the embedded store, so that a full disk is detected between writes. */
export const diskReserveBytes = 4 * 1024 * 1024;

/** Below this free space, a failed write is attributed to a full disk. */
export const nearlyFullBytes = 256 * 1024;

/** How long a measurement of the free space is valid. */
export const diskCheckIntervalMs = 50;

/** Encoded records of a batch are stored in reusable chunks of this size. */
export const arenaChunkBytes = 4 * 1024 * 1024;

/** The buffer in which one record is written; it grows, and is replaced after a record above the maximum. */
export const writerBytes = 16_384;
export const maxWriterBytes = 1_048_576;

/** MongoDB: the heartbeat interval of the owner, and the silence after which another backend takes over. */
export const mongoBeatMs = 1_000;
export const mongoOwnerPatienceMs = 6_000;
/** MongoDB: server selection timeout. */
export const mongoServerSelectionMs = 3_000;
export const mongoConnectMs = 3_000;
/** MongoDB: socket timeout, and the timeout for a majority. */
export const mongoSocketMs = 20_000;
export const mongoMajorityMs = 10_000;
/** MongoDB: reads are repeated after a failure until this long after their start, with pauses that double from the second. */
export const mongoReadPatienceMs = 2_000;
export const mongoReadRetryMs = 100;
export const mongoPoolSize = 8;
export const mongoConcurrentCommits = 4;
