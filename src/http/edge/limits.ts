// The figures the agent edge keeps to. Units are in the names. Source: promises sheet 3.5 and rows 18 to 22.

export interface EdgeLimits {
  /** A handshake that takes longer is answered 503. */
  readonly handshakeTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** An agent that lets more than this pile up unread is cut off. */
  readonly maxBufferedBytes: number;
  /** So is one to whom a message could not be written for so long. */
  readonly writeTimeoutMs: number;
  readonly pingIntervalMs: number;
  /** So many pings without any sign of life, and the connection is closed. */
  readonly maxMissedPings: number;
  /** Frames of one session that are taken in but not settled; beyond it the socket is not read. */
  readonly maxUnsettledFrames: number;
  /** The first wait before an event that could not be stored is offered again; doubles up to the maximum. */
  readonly retryDelayMs: number;
  readonly maxRetryDelayMs: number;
  /** Entities one session may bring into being; 0 means no limit. */
  readonly maxNewEntities: number;
  /** How long an agent may take to answer a close frame before its socket is destroyed. */
  readonly closeTimeoutMs: number;
  /**
   * The same while the backend stops. Short, since some agents never answer; nothing is lost: what was not acknowledged is
   * sent again.
   */
  readonly drainTimeoutMs: number;
  /** New connections a second, and how many at once; 0 means no limit. */
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

/** Bad payloads of one session that are logged one by one; after that only every thousandth. */
export const loudBadFrames = 10;

/** What was remembered and does not fit is learned anew with every so manieth miss: relays send many things in turn. */
export const missesBetweenLessons = 32;
/** Frames one listener remembers, one a check and namespace, and the largest it remembers, in bytes. */
export const maxKnownFrames = 1_024;
export const maxKnownFrameBytes = 16_384;

/** Answers about the rights of one session that are kept. */
export const maxRememberedRights = 10_000;

/** WebSocket close codes and when they are used. 4000 to 4999 are ours to define. */
export const closeCodes = {
  /** The backend is going down: connect again, to any backend. */
  goingAway: 1001,
  /** The peer sent something that is no frame of ours. */
  protocolError: 1002,
  /** The user was disabled or lost the right to report. */
  policyViolation: 1008,
  internalError: 1011,
  /** The same agent connected again: this connection is the older one. */
  replaced: 4001,
} as const;
