// The family `circuit`: one actor for each handler that failed lately; a healthy handler has none. After a restart of the
// backend every handler is tried again, so it keeps no record.
import type { CircuitContext, CircuitEffect, CircuitFact } from '../../../machines/circuit/circuit-facts.ts';
import { circuitMachine } from '../../../machines/circuit/circuit-machine.ts';
import type { RuntimeLog } from '../../runtime/inspection/facts.ts';
import { defineFamily } from '../kit/family.ts';
import { maxCircuitMail } from '../kit/limits.ts';

export interface CircuitIdentity {
  readonly namespace: string;
  readonly handler: string;
}

export interface CircuitPorts {
  readonly log: Pick<RuntimeLog, 'info' | 'warn'>;
}

export const circuitFamily = defineFamily<
  CircuitIdentity,
  CircuitContext,
  CircuitFact,
  CircuitEffect,
  CircuitPorts
>({
  id: 'circuit',
  title: 'whether calls to one handler go through',
  machine: circuitMachine,
  mailbox: { capacity: maxCircuitMail, overflow: 'dropOldest' },
  supervise: { restart: 'permanent', place: { type: 'group', id: 'circuits' } },
  deadlines: { probe: { waitsFor: 'time' } },
  key: ({ namespace, handler }) => `${namespace}/${handler}`,
  input: ({ namespace, handler }) => ({ name: `${namespace}/${handler}` }),
  perform(effect, _, { key, ports: { log } }) {
    if (effect.type === 'circuit.closed') return log.info({ handler: key }, 'handler works again');
    log.warn(
      { handler: key, until: new Date(effect.untilMs).toISOString(), why: effect.error },
      'handler keeps failing and is left alone for a while',
    );
  },
});
