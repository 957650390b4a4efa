// Every limit of this folder, each with its unit in its name.

/** Maximum number of concurrent connections to the control socket. */
export const maxControlConnections = 16;

/** Size of a batch of response lines. */
export const controlChunkBytes = 64 * 1024;

/** A client that reads nothing for this long is disconnected. */
export const controlStallMs = 60_000;

/** Timeout of the first response of a backend. */
export const controlReachMs = 5_000;

/** Timeout between two lines of a response. */
export const controlIdleMs = 120_000;

/** Interval of the progress display on a terminal. */
export const progressMs = 250;

/** Number of records that an upgrade rewrites per batch. */
export const upgradeBatch = 256;
