// Every limit of this folder, each with its unit in its name.

/** Longest key, in UTF-8 bytes. LMDB holds 1,978; the rest is room for the prefix of a quarantined key. */
export const maxKeyBytes = 1_900;

/** Largest record once encoded. A document of MongoDB holds 16 MiB with everything around it. */
export const maxRecordBytes = 12 * 1024 * 1024;

/** How many entries a scan takes out of a store at a time before it lets others run. */
export const scanPageEntries = 256;

/** A commit that has not ended by then is reported as failed with an unknown outcome. */
export const commitTimeoutMs = 30_000;

/** Address space LMDB maps at start. Not memory and not disk: the file is sparse and the map grows by itself. */
export const lmdbMapBytes = 1024 * 1024 * 1024;

/** Free space that the embedded store never uses, so that a full disk is met between two writes and not inside one. */
export const diskReserveBytes = 4 * 1024 * 1024;

/** With less than this left, a refused write is put down to the disk being full. */
export const nearlyFullBytes = 256 * 1024;

/** How long a look at the free space stays good. */
export const diskCheckIntervalMs = 50;

/** Encoded records of a batch are laid side by side in chunks of this size, which are used again and again. */
export const arenaChunkBytes = 4 * 1024 * 1024;

/** MongoDB: how often the backend that owns a database writes its beat, and after how long without one another takes over. */
export const mongoBeatMs = 1_000;
export const mongoOwnerPatienceMs = 6_000;
/** MongoDB: how long to look for a server that takes writes, before an operation fails. */
export const mongoServerSelectionMs = 3_000;
export const mongoConnectMs = 3_000;
/** MongoDB: how long one answer may take, and how long to wait for a majority. */
export const mongoSocketMs = 20_000;
export const mongoMajorityMs = 10_000;
export const mongoPoolSize = 8;
export const mongoConcurrentCommits = 4;
