// The limits of the group-commit writer, each with its unit in its name; tests give their own.

export interface GroupCommitLimits {
  readonly maxBatchWrites: number;
  /** A further commit beside one under way waits for this many writes, or for `maxDelayMs`. */
  readonly minConcurrentWrites: number;
  readonly maxDelayMs: number;
  /** Pause after a failed commit; it doubles with every further failure up to the longest. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** While the store is failing, a put whose next try is further away than this is told so at once. */
  readonly maxReceiptWaitMs: number;
  /** Depth at which edges are asked to pause, and at which they may go on. */
  readonly highWaterWrites: number;
  readonly lowWaterWrites: number;
}

export const groupCommitLimits: GroupCommitLimits = {
  maxBatchWrites: 1_024,
  minConcurrentWrites: 256,
  maxDelayMs: 2,
  firstRetryMs: 100,
  maxRetryMs: 5_000,
  maxReceiptWaitMs: 1_000,
  highWaterWrites: 8_192,
  lowWaterWrites: 2_048,
};
