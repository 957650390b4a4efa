// The time that cluster code reads. The clock of the actor runtime fits; tests put a simulated one here.

export interface ClusterClock {
  /** Milliseconds that only grow. Only durations are taken from it: clocks of two backends are never compared. */
  monotonicMs(): number;
  /** Runs the task once after at least `delayMs`; the result cancels it. */
  setTimer(task: () => void, delayMs: number): () => void;
}
