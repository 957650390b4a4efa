// Every limit of this folder, each with its unit in its name.

/** Timeout of a remote check. */
export const reachMs = 8_000;

/** A larger clock difference is reported. */
export const clockWarnMs = 2_000;
export const clockFailMs = 30_000;
