// The messages and effects of the circuit machine.

export interface CircuitContext {
  readonly name: string;
  /** Failed calls in a row. */
  readonly failures: number;
  /** How long the circuit stays open the next time it opens, milliseconds. */
  readonly openForMs: number;
  /** Wall time of the next try, milliseconds; null while calls go through. */
  readonly probeAtMs: number | null;
  readonly lastError: string | null;
}

export type CircuitFact =
  | { readonly type: 'call.succeeded'; readonly nowMs: number }
  | { readonly type: 'call.failed'; readonly nowMs: number; readonly error: string }
  /** The one call that tries whether the other side is back was let through. */
  | { readonly type: 'probe.started'; readonly nowMs: number }
  /** It ended without telling whether the other side is back: another call may try. */
  | { readonly type: 'probe.abandoned'; readonly nowMs: number }
  | { readonly type: 'deadline.reached'; readonly name: 'probe'; readonly nowMs: number }
  /** An operator closes the circuit by hand. */
  | { readonly type: 'circuit.reset'; readonly nowMs: number };

export type CircuitEffect =
  | { readonly type: 'deadline.set'; readonly name: 'probe'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'probe' }
  | { readonly type: 'circuit.opened'; readonly untilMs: number; readonly error: string }
  | { readonly type: 'circuit.closed' };
