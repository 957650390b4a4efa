// Limits of the client. Units are in the names.

/** Keepalive interval; not configurable. */
export const keepaliveIntervalMs = 20_000;
/** Default timeout of hooks. */
export const defaultHookTimeoutSeconds = 60;
/** Default number of concurrent commands. */
export const defaultSpawnLimit = 12;
/** Maximum number of queued commands; more are dropped with a log line. */
export const maxWaitingCommands = 1_000;
/** Time between SIGTERM and SIGKILL after a timeout. */
export const killGraceMs = 3_000;
/** Maximum output kept per command; the rest is counted and discarded. */
export const maxOutputBytes = 1_000_000;

/** A TCP sender that stops in the middle of its JSON gets an error after this time. */
export const socketWatchdogMs = 500;
/** Maximum message size of a socket. The reference product has no limit. */
export const maxSocketBytes = 16_777_216;
export const maxSocketConnections = 1_000;
/** A sender that does not read the reply is disconnected after this time. */
export const socketLingerMs = 5_000;
/** Maximum body of `POST /results`: documented but not enforced by the reference product. */
export const maxHttpBodyBytes = 33_554_432;

/** Maximum size of a check request. The reference product has no limit. */
export const maxRequestBytes = 4_194_304;
/** Maximum length of an unusable check request in the log. */
export const maxShownBytes = 1_000;

/** How long a stopping client waits for running checks before it kills them. */
export const stopGraceMs = 10_000;
/** How long it then waits until the last results are sent. */
export const lastResultsMs = 5_000;
