// What the binary encoding keeps to, beyond the size of a message. Units are in the names. How deep messages nest is
// bounded by the tables themselves: none of them contains itself, and what they do not name is skipped, not entered.

/** Most entries one map may hold: the same as an object of JSON. */
export const maxMapEntries = 10_000;
/** Longest variable-length number: 64 bits, seven a byte. */
export const maxVarintBytes = 10;
/** Bytes of a UUID in its binary form. */
export const uuidBytes = 16;
