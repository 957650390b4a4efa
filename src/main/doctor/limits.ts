// Every limit of this folder, each with its unit in its name.

/** How long others may take to answer. */
export const reachMs = 8_000;

/** Clocks that differ by more are told. */
export const clockWarnMs = 2_000;
export const clockFailMs = 30_000;
