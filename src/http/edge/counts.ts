// What the edge counts. Plain numbers on the hot path; they become metrics when somebody reads them.

export interface EdgeCounts {
  received: number;
  accepted: number;
  refused: number;
  offeredAgain: number;
  /** Refused because the backend crashed on them: part of `refused`. */
  poisonous: number;
  /** Connections cut because the agent did not read. */
  cut: number;
  /** Connections closed because the agent was silent. */
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
