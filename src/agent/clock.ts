// The clock of the agent, replaceable in tests.

/** Cancels; further calls have no effect. */
export type Cancel = () => void;

export interface Clock {
  /** Unix time in milliseconds; may jump. For timestamps only. */
  wallMs(): number;
  /** Monotonic time, for durations. */
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

/** Repeats until cancelled, with `periodMs` between the starts of two runs. */
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
