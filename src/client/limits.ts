// The figures of the client, each with its unit.

/** Time between two keepalives; not configurable. */
export const keepaliveIntervalMs = 20_000;
/** A hook that names no timeout. */
export const defaultHookTimeoutSeconds = 60;
/** Commands at once, unless the configuration says otherwise. */
export const defaultSpawnLimit = 12;
/** Commands that may wait for a slot; beyond it new ones are dropped with a log line. */
export const maxWaitingCommands = 1_000;
/** After its time a command is asked to end; this much later it is ended. */
export const killGraceMs = 3_000;
/** Output kept of one command; what is beyond is counted and thrown away. */
export const maxOutputBytes = 1_000_000;

/** A TCP sender that stops in the middle of its JSON is told so after this long. */
export const socketWatchdogMs = 500;
/** Largest message a socket takes. The reference product knows no limit; a process that listens needs one. */
export const maxSocketBytes = 16_777_216;
export const maxSocketConnections = 1_000;
/** A sender that does not take its answer is cut off. */
export const socketLingerMs = 5_000;
/** Largest body of `POST /results`: what the reference product names and does not enforce. */
export const maxHttpBodyBytes = 33_554_432;

/** How long a stopping client waits for checks in progress before it ends them. */
export const stopGraceMs = 10_000;
