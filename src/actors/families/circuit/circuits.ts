// The circuits of handlers: a handler that keeps failing is left alone for a while, so that its time-outs do not hold up
// the workers of the others. One actor a handler, started at its first failure; a healthy handler has none, and neither
// has one that was deleted.
import type { CircuitContext, CircuitFact } from '../../../machines/circuit/circuit-facts.ts';
import type { GateAnswer, HandlerGate } from '../../../pipeline/ports.ts';
import type { HandlerOutcome } from '../../../pipeline/trace.ts';
import type { ActorId } from '../../runtime/contract.ts';
import type { FamilyActors } from '../kit/family-actors.ts';
import type { CircuitIdentity } from './circuit-family.ts';

const succeeded: readonly HandlerOutcome[] = ['handled'];
const failed: readonly HandlerOutcome[] = ['failed', 'timedOut'];

export interface CircuitsPorts {
  readonly actors: FamilyActors<CircuitIdentity, CircuitContext, CircuitFact>;
  readonly nowMs: () => number;
  readonly isDefined: (circuit: CircuitIdentity) => boolean;
  readonly onDeleted: (listener: (circuit: CircuitIdentity) => void) => void;
  readonly onFault: (error: unknown) => void;
}

export const createCircuits = ({
  actors,
  nowMs,
  isDefined,
  onDeleted,
  onFault,
}: CircuitsPorts): HandlerGate => {
  /** Handlers whose one trying call is under way, from before its actor has noted it. */
  const probing = new Set<ActorId>();
  onDeleted((circuit) => {
    probing.delete(actors.id(circuit));
    if (actors.has(circuit)) actors.stop(circuit).catch(onFault);
  });

  const leave = (circuit: CircuitIdentity) => (outcome: HandlerOutcome, why: string) => {
    probing.delete(actors.id(circuit));
    // It was deleted during the call.
    if (!isDefined(circuit)) return;
    const state = actors.state(circuit);
    const isOpen = state === 'open';
    if (failed.includes(outcome) && !isOpen) {
      actors.ensure(circuit);
      actors.tell(circuit, { type: 'call.failed', nowMs: nowMs(), error: why });
    } else if (succeeded.includes(outcome) && state !== undefined && !isOpen) {
      actors.tell(circuit, { type: 'call.succeeded', nowMs: nowMs() });
    } else if (isProbing(state)) {
      actors.tell(circuit, { type: 'probe.abandoned', nowMs: nowMs() });
    }
  };

  return {
    async enter(namespace, handler): Promise<GateAnswer> {
      const circuit: CircuitIdentity = { namespace, handler };
      const id = actors.id(circuit);
      const state = actors.state(circuit) ?? 'closed';
      if (state === 'closed') return { entered: true, leave: leave(circuit) };
      const context = actors.context(circuit);
      if (context !== undefined && (state === 'open' || isProbing(state) || probing.has(id))) {
        return { entered: false, why: refusal(handler, context) };
      }
      probing.add(id);
      actors.tell(circuit, { type: 'probe.started', nowMs: nowMs() });
      return { entered: true, leave: leave(circuit) };
    },
  };
};

const isProbing = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && (state as { halfOpen?: unknown }).halfOpen === 'probing';

const refusal = (handler: string, { failures, probeAtMs, lastError }: CircuitContext): string => {
  const until = probeAtMs === null ? 'its next try' : new Date(probeAtMs).toISOString();
  const last = lastError === null ? '' : ` (last: ${lastError})`;
  return `the circuit of handler ${handler} is open: ${failures} calls failed in a row${last}; it is left alone until ${until}`;
};
