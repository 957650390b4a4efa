// The timers of the client, replaceable in tests.

export interface Timers {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Calls back once; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
  every(intervalMs: number, run: () => void): () => void;
}

export const realTimers: Timers = {
  nowMs: Date.now,
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  every: (intervalMs, run) => {
    const timer = setInterval(run, intervalMs);
    return () => clearInterval(timer);
  },
};

export const seconds = (timers: Pick<Timers, 'nowMs'>): number => Math.floor(timers.nowMs() / 1000);
