// Every limit of this folder, each with its unit in its name.

/** When at most this many keys remain, commits are held for the last round. */
export const maxHeldKeys = 512;

/** Maximum buffer of the last round; above it commits continue, and another round is needed. */
export const maxHeldBytes = 64 * 1024 * 1024;

/** Maximum number of keys noted as written while an export runs; above it the export gives up. About 100 bytes each. */
export const maxNotedKeys = 1_000_000;

/** Maximum number of rounds before an export gives up. */
export const maxExportRounds = 100;

/** Number of lines per checksum: the precision with which a damaged place is reported. */
export const blockLines = 1_000;

/** Longest line of a backup: a record with its key, every character of it escaped at worst. */
export const maxLineBytes = 64 * 1024 * 1024;

/** Batch size of a restore. */
export const restoreBatchWrites = 512;
export const restoreBatchBytes = 4 * 1024 * 1024;

/** Maximum number of attempts of a commit during an outage; the pauses double. */
export const maxRestoreTries = 6;
export const restoreRetryMs = 500;
