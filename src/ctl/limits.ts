// Limits of mon-ctl, each with its unit.

export const defaultTimeoutMs = 15_000;
/** A token is renewed this long before it expires, so that it does not expire on the way. */
export const renewEarlySeconds = 10;
/** Longest wait for another mon-ctl that is renewing the same token; then its lock counts as left behind. */
export const lockStaleMs = 60_000;
export const lockRetryMs = 50;
export const maxRedirects = 10;
/** Largest answer read, in bytes; a page of a list is at most 4 MiB. */
export const maxAnswerBytes = 512 * 1024 * 1024;
/** Items asked for in one page of a list. */
export const defaultPageSize = 1000;
/** Longest part of an answer that is no JSON shown in an error, in characters. */
export const maxShownAnswerCharacters = 300;
/** No column of a table is made narrower than this to fit the terminal, in characters. */
export const minColumnCharacters = 8;
/** Most bytes read of one file, URL or standard input of resources. */
export const maxSourceBytes = 256 * 1024 * 1024;
/** How long a login in the browser may take; the backend forgets it after ten minutes. */
export const browserLoginMs = 600_000;
/** Longest message of a live stream, in characters; the backend sends at most 500 rows in one. */
export const maxStreamLineCharacters = 16 * 1024 * 1024;
/** Wait before a stream that ended is opened again. */
export const streamRetryMs = 1_000;
/** How long `check execute --wait` waits for results by default. */
export const defaultExecutionWaitMs = 60_000;
/** Seconds between two pictures of `top`. */
export const topIntervalSeconds = 2;
/** Traces that one picture of `top` reads. */
export const maxTracesPerPicture = 8;

/** How often a bulk job that is waited for is asked how far it is. */
export const jobPollMs = 500;
