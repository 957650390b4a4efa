// The limits of what the model accepts, each with its unit in the name.

/** Longest name of anything, in characters: three of them in one key stay below the key limit of every store. */
export const maxNameCharacters = 600;

/** Deepest nesting of a JSON document. */
export const maxJsonDepth = 64;

/** Most keys in one JSON object. */
export const maxJsonKeys = 10_000;

/** Largest JSON document unless the caller says otherwise: the reference product's body limit. */
export const maxJsonBytes = 512_000;

/** Most steps one template may take: a range over a range over an entity ends here, not never. */
export const maxTemplateSteps = 100_000;

/** Longest text one template may produce, in characters. */
export const maxTemplateCharacters = 1_048_576;

/** Deepest nesting of a template's expressions and blocks. */
export const maxTemplateDepth = 64;

/** Longest expression of a filter, an asset or a proxy request, in characters. */
export const maxExpressionCharacters = 65_536;

/** Most expressions of one filter, one proxy request or one build of an asset: each is run for every event or entity. */
export const maxExpressions = 256;

/** Longest cron string, in characters: every value of every field by name takes less than half of it. */
export const maxCronCharacters = 1_024;

/** What one memo of a pure function keeps of the strings it was asked about, in bytes. */
export const maxMemoBytes = 2_097_152;

/** Largest number of 32 bits without a sign: intervals, timeouts, thresholds. */
export const maxUnsigned32 = 4_294_967_295;

/** Highest exit status of a check. */
export const maxStatus = maxUnsigned32;

/** Shortest TTL an event posted by hand may ask for, in seconds. A definition, and so its results, may go below. */
export const minTtlSeconds = 5;

/** Shortest password, in characters. */
export const minPasswordCharacters = 8;

/** Shortest SHA-512 checksum of an asset, in hex digits. */
export const minSha512Characters = 128;
