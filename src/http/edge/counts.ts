// Counters of the agent listener. Plain numbers on the hot path, converted to metrics when read.
import { Histogram } from '../../actors/runtime/load/histogram.ts';

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
  /** How long their decisions took, seconds, by HTTP status. */
  readonly handshakeSeconds: Map<number, Histogram>;
  /** From the arrival of an event to its acknowledgement, seconds. */
  readonly ackSeconds: Histogram;
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
  handshakeSeconds: new Map(),
  ackSeconds: new Histogram(),
});

export const noteHandshake = (
  { handshakes, handshakeSeconds }: EdgeCounts,
  status: number,
  seconds: number,
): void => {
  handshakes.set(status, (handshakes.get(status) ?? 0) + 1);
  let times = handshakeSeconds.get(status);
  if (times === undefined) {
    times = new Histogram();
    handshakeSeconds.set(status, times);
  }
  times.observe(seconds);
};
