// Boot grace: what a deadline becomes when the backend comes up again (architecture section 7). While it was away nobody
// could reach it, so silence in that time proves nothing; yet whoever stays silent must be reported in the end.

/** For signs of life: nobody is declared dead before one full timeout since the backend is ready. */
export const graceDeadline = (readyAtMs: number, timeoutMs: number): number => readyAtMs + timeoutMs;

/**
 * For promises to report: a wait with time left keeps what is left, at most a whole wait (the wall clock may have been set
 * back meanwhile); one that ran out while the backend was away begins anew.
 */
export const resumedDeadline = (atMs: number, readyAtMs: number, waitMs: number): number =>
  atMs > readyAtMs ? Math.min(atMs, readyAtMs + waitMs) : readyAtMs + waitMs;
