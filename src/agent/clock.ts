// Time as the agent sees it: one door, so that tests can stand in it.

/** Undoes what it was returned for; a second call does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since the epoch; may jump. For stamps only. */
  wallMs(): number;
  /** Never jumps. For durations. */
  monotonicMs(): number;
  after(delayMs: number, run: () => void): Cancel;
}

const longestTimerMs = 2_147_483_647;

export const realClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

export const nowSeconds = (clock: Clock): number => Math.floor(clock.wallMs() / 1000);

/** Runs again and again, `periodMs` after the last run began, until cancelled. */
export const every = (clock: Clock, periodMs: number, run: () => void): Cancel => {
  let cancel: Cancel;
  const arm = () => {
    cancel = clock.after(periodMs, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
};

export const wait = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => void clock.after(delayMs, resolve));
