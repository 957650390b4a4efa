// Limits of the agent listener. Units are in the names.

export interface EdgeLimits {
  /** A handshake that takes longer is answered with 503. */
  readonly handshakeTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** An agent with more unread data than this is disconnected. */
  readonly maxBufferedBytes: number;
  /** So is an agent to which a message could not be written for this long. */
  readonly writeTimeoutMs: number;
  readonly pingIntervalMs: number;
  /** After this many pings without any response the connection is closed. */
  readonly maxMissedPings: number;
  /** Maximum number of unsettled frames per session; above it, the socket is not read. */
  readonly maxUnsettledFrames: number;
  /** First retry delay for an event that could not be stored; doubles up to the maximum. */
  readonly retryDelayMs: number;
  readonly maxRetryDelayMs: number;
  /** Maximum number of entities one session may create; 0 means no limit. */
  readonly maxNewEntities: number;
  /** How long an agent may take to answer a close frame before its socket is destroyed. */
  readonly closeTimeoutMs: number;
  /** The same during shutdown. Short, since some agents never answer; unacknowledged events are sent again. */
  readonly drainTimeoutMs: number;
  /** New connections per second, and the burst; 0 means no limit. */
  readonly connectionsPerSecond: number;
  readonly connectionBurst: number;
}

export const edgeLimits: EdgeLimits = {
  handshakeTimeoutMs: 5_000,
  headersTimeoutMs: 5_000,
  maxBufferedBytes: 4 * 1_048_576,
  writeTimeoutMs: 15_000,
  pingIntervalMs: 30_000,
  maxMissedPings: 2,
  maxUnsettledFrames: 256,
  retryDelayMs: 500,
  maxRetryDelayMs: 30_000,
  maxNewEntities: 1_000,
  closeTimeoutMs: 5_000,
  drainTimeoutMs: 500,
  connectionsPerSecond: 0,
  connectionBurst: 0,
};

/** Number of invalid payloads per session that are logged individually; after that only every thousandth. */
export const loudBadFrames = 10;

/**
 * An entry that does not fit is re-learned on every 32nd miss, since relays alternate between many entities and
 * checks.
 */
export const missesBetweenLessons = 32;
/** Maximum number of cached frames per listener (one per check and namespace), and the maximum frame size in bytes. */
export const maxKnownFrames = 1_024;
export const maxKnownFrameBytes = 16_384;

/** Maximum number of cached permission checks per session. */
export const maxRememberedRights = 10_000;

/** WebSocket close codes. 4000 to 4999 are application-defined. */
export const closeCodes = {
  /** The backend is shutting down; reconnect to any backend. */
  goingAway: 1001,
  /** The peer sent an invalid frame. */
  protocolError: 1002,
  /** The user was disabled or lost the permission to report. */
  policyViolation: 1008,
  internalError: 1011,
  /** The same agent connected again; this is the older connection. */
  replaced: 4001,
} as const;
