// Counters of the agent listener. Plain numbers on the hot path, converted to metrics when read.

export interface EdgeCounts {
  received: number;
  accepted: number;
  refused: number;
  offeredAgain: number;
  /** Rejected because the backend crashed on them; included in `refused`. */
  poisonous: number;
  /** Connections closed because the agent did not read. */
  cut: number;
  /** Connections closed because the agent did not respond to pings. */
  silent: number;
  replaced: number;
  /** Handshakes by HTTP status. */
  readonly handshakes: Map<number, number>;
}

export const newEdgeCounts = (): EdgeCounts => ({
  received: 0,
  accepted: 0,
  refused: 0,
  offeredAgain: 0,
  poisonous: 0,
  cut: 0,
  silent: 0,
  replaced: 0,
  handshakes: new Map(),
});
