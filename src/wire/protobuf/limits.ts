// Limits of the binary encoding, besides the message size. Units are in the names. Nesting is bounded by the
// tables: no message contains itself, and unknown fields are skipped.

/** Maximum number of map entries, the same as for JSON objects. */
export const maxMapEntries = 10_000;
/** Maximum length of a varint: 64 bits at seven bits per byte. */
export const maxVarintBytes = 10;
/** Length of a binary UUID. */
export const uuidBytes = 16;
