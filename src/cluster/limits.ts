// Limits and intervals of a cluster. Units are in the names.

/** Shards of a cluster. Part of the format of a database: it never changes. */
export const shardCount = 256;
