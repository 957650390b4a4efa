// Limits for running commands. Units are in the names.

/** How long output of leftover child processes is still read after a command exited, while more keeps coming. */
export const drainAfterExitMs = 200;
export const maxDrainRounds = 5;
/** Maximum time a command may block its caller after its process group was killed. */
export const killedWaitMs = 1_000;
/** Maximum delay of a Node timer; a longer one fires immediately. */
export const longestTimerMs = 2_147_483_647;
