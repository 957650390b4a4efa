// Boot grace: what a deadline becomes when the backend comes up again (architecture section 7). Nothing could reach it
// while it was down, so silence in that time proves nothing; an entity that stays silent is still reported in the end.

/** For signs of life: nobody is declared dead before one full timeout since the backend is ready. */
export const graceDeadline = (readyAtMs: number, timeoutMs: number): number => readyAtMs + timeoutMs;

/**
 * For promises to report: a wait with time left keeps what is left, at most a whole wait (the wall clock may have been set
 * back meanwhile); one that ran out while the backend was away starts over.
 */
export const resumedDeadline = (atMs: number, readyAtMs: number, waitMs: number): number =>
  atMs > readyAtMs ? Math.min(atMs, readyAtMs + waitMs) : readyAtMs + waitMs;
