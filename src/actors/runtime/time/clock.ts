// The one place where the actor runtime reads time and hands the event loop its turn. Tests put a simulated clock here.

export interface Clock {
  /** Wall time, milliseconds since the epoch: for stamps that are stored or shown. It may jump. */
  wallMs(): number;
  /** Milliseconds that only grow: for every duration. */
  monotonicMs(): number;
  /** Runs the task once after at least `delayMs` (at most 2^31-1); the result cancels it. */
  setTimer(task: () => void, delayMs: number): () => void;
  /** Runs the task after the event loop has had its turn for sockets and timers. */
  yieldTurn(task: () => void): void;
}

export const realClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(task, delayMs) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  yieldTurn(task) {
    setImmediate(task);
  },
};
