// Every limit of this folder, each with its unit in its name.

/** As soon as so few keys are left to be read again, commits are held back for the last round. */
export const maxHeldKeys = 512;

/** What the last round may keep in memory; past that commits go on, and another round is needed. */
export const maxHeldBytes = 64 * 1024 * 1024;

/** An export that has not caught up with the writers by then gives up. */
export const maxExportRounds = 100;

/** Lines of a backup that share a checksum: what is altered is known to so many lines. */
export const blockLines = 1_000;

/** Longest line of a backup: a record with its key, every character of it escaped at worst. */
export const maxLineBytes = 64 * 1024 * 1024;

/** What a restore writes at a time. */
export const restoreBatchWrites = 512;
export const restoreBatchBytes = 4 * 1024 * 1024;

/** How often a restore tries a commit while the store is out of reach; the pauses double. */
export const maxRestoreTries = 6;
export const restoreRetryMs = 500;
