// The circuits of handlers: a handler that keeps failing is left alone for a while, so that its time-outs do not hold up
// the workers of the others. One actor a handler, started at its first failure; a healthy handler has none.
import type { CircuitContext, CircuitEffect, CircuitFact } from '../../../machines/circuit/circuit-facts.ts';
import { circuitMachine } from '../../../machines/circuit/circuit-machine.ts';
import type { GateAnswer, HandlerGate } from '../../../pipeline/ports.ts';
import type { HandlerOutcome } from '../../../pipeline/trace.ts';
import type { ActorId, Behaviour } from '../../runtime/contract.ts';
import { maxCircuitMail } from '../../runtime/limits.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { contextOf, stateValueOf } from '../../runtime/snapshot.ts';

export const circuitsId: ActorId = 'circuits';

const circuitId = (namespace: string, handler: string): ActorId => `circuit:${namespace}/${handler}`;

const succeeded: readonly HandlerOutcome[] = ['handled'];
const failed: readonly HandlerOutcome[] = ['failed', 'timedOut'];

const behaviour = (name: string, log: Runtime['log']): Behaviour<CircuitEffect> => ({
  machine: circuitMachine,
  mailbox: { capacity: maxCircuitMail, overflow: 'dropOldest' },
  begin: () => ({ input: { name } }),
  perform: (effect, actor) => {
    switch (effect.type) {
      case 'deadline.set':
        return actor.setDeadline(effect.name, effect.atMs);
      case 'deadline.clear':
        return actor.clearDeadline(effect.name);
      case 'circuit.opened':
        return log.warn(
          { handler: name, until: new Date(effect.untilMs).toISOString(), why: effect.error },
          'handler keeps failing and is left alone for a while',
        );
      case 'circuit.closed':
        return log.info({ handler: name }, 'handler works again');
    }
  },
});

export const createCircuits = (runtime: Runtime): HandlerGate => {
  /** Handlers whose one trying call is under way, from before its actor has noted it. */
  const probing = new Set<ActorId>();
  const tell = (id: ActorId, fact: CircuitFact): void => runtime.registry.tell(id, fact);
  const nowMs = (): number => runtime.clock.wallMs();

  const leave = (id: ActorId, name: string) => (outcome: HandlerOutcome, why: string) => {
    probing.delete(id);
    const snapshot = runtime.registry.peek(id);
    const isOpen = snapshot !== undefined && stateValueOf(snapshot) === 'open';
    if (failed.includes(outcome) && !isOpen) {
      if (snapshot === undefined) {
        runtime
          .supervisor(circuitsId)
          ?.startChild({ id, restart: 'permanent', behaviour: behaviour(name, runtime.log) as Behaviour });
      }
      tell(id, { type: 'call.failed', nowMs: nowMs(), error: why });
    } else if (succeeded.includes(outcome) && snapshot !== undefined && !isOpen) {
      tell(id, { type: 'call.succeeded', nowMs: nowMs() });
    } else if (snapshot !== undefined && isProbing(stateValueOf(snapshot))) {
      tell(id, { type: 'probe.abandoned', nowMs: nowMs() });
    }
  };

  return {
    async enter(namespace, handler): Promise<GateAnswer> {
      const id = circuitId(namespace, handler);
      const name = `${namespace}/${handler}`;
      const snapshot = runtime.registry.peek(id);
      const state = snapshot === undefined ? 'closed' : stateValueOf(snapshot);
      if (state === 'closed') return { entered: true, leave: leave(id, name) };
      if (snapshot !== undefined && (state === 'open' || isProbing(state) || probing.has(id))) {
        return { entered: false, why: refusal(handler, contextOf<CircuitContext>(snapshot)) };
      }
      probing.add(id);
      tell(id, { type: 'probe.started', nowMs: nowMs() });
      return { entered: true, leave: leave(id, name) };
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
