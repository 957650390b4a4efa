// The figures of running commands. Units are in the names.

/** After a command ended, how long output of children it left behind is still taken, as long as more keeps coming. */
export const drainAfterExitMs = 200;
export const maxDrainRounds = 5;
/** Longest a command may still hold its caller after its group was killed. */
export const killedWaitMs = 1_000;
/** What a timer can wait; a longer one would fire at once. */
export const longestTimerMs = 2_147_483_647;
