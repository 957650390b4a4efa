// Limits of assets. Units are in the names.

/** Time limit for all filters of one asset, including builds, and their memory limit. */
export const filterTimeMs = 1_000;
/** After this time a filter is considered stuck in native code, and its thread is terminated. */
export const filterHungMs = 5_000;
/** An idle thread ends after this time. */
export const filterThreadIdleMs = 60_000;
export const filterMemoryBytes = 16_777_216;
export const filterStackBytes = 131_072;
/** Maximum size of an asset, both downloaded and unpacked. */
export const maxAssetBytes = 268_435_456;
export const maxUnpackedBytes = 1_073_741_824;
export const maxArchiveEntries = 50_000;
/** Time limit for unpacking, and the heap size of its thread. */
export const unpackTimeMs = 120_000;
export const maxUnpackHeapMb = 256;
export const maxRedirects = 10;
/**
 * Maximum number of concurrent installations. Each holds its archive in memory; a stalled one must not block the
 * others.
 */
export const maxInstallsAtOnce = 4;
/** Maximum time without data and maximum total time of a download. */
export const downloadIdleMs = 60_000;
export const downloadMs = 600_000;
