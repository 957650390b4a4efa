// The figures the asset room keeps to. Units are in the names.

/** Longest all filters of one asset may take together, builds included, and the memory they may use. */
export const filterTimeMs = 1_000;
/** After this long a filter is taken to hang where the sandbox can't end it; its thread is ended instead. */
export const filterHungMs = 5_000;
/** A thread nobody has needed for so long ends. */
export const filterThreadIdleMs = 60_000;
export const filterMemoryBytes = 16_777_216;
export const filterStackBytes = 131_072;
/** Largest asset, as it is downloaded and as it is unpacked. */
export const maxAssetBytes = 268_435_456;
export const maxUnpackedBytes = 1_073_741_824;
export const maxArchiveEntries = 50_000;
/** How long unpacking may take, and the heap of its thread. */
export const unpackTimeMs = 120_000;
export const maxUnpackHeapMb = 256;
export const maxRedirects = 10;
/** Each holds its archive in memory; one that stands still must not hold up the others. */
export const maxInstallsAtOnce = 4;
/** How long a download may stand still, and how long it may take as a whole. */
export const downloadIdleMs = 60_000;
export const downloadMs = 600_000;
