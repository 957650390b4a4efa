// Sample events, complete as the parser leaves them.
import type { BackOff } from '../../src/machines/agent-connection/back-off-rule.ts';
import { type CheckEvent, eventSchema } from '../../src/model/event/event.ts';

export const idOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

export interface Sample {
  readonly status?: number;
  readonly executed?: number;
  readonly id?: string | null;
  readonly check?: Record<string, unknown>;
  readonly entity?: Record<string, unknown>;
  readonly event?: Record<string, unknown>;
}

export const sampleEvent = (sample: Sample = {}): CheckEvent =>
  eventSchema.parse({
    timestamp: sample.executed ?? 0,
    id: sample.id ?? null,
    metadata: { namespace: 'default' },
    entity: { entity_class: 'agent', metadata: { name: 'web-01', namespace: 'default' }, ...sample.entity },
    check: {
      metadata: { name: 'cpu', namespace: 'default' },
      interval: 10,
      status: sample.status ?? 0,
      executed: sample.executed ?? 0,
      output: 'ok',
      ...sample.check,
    },
    ...sample.event,
  }) as CheckEvent;

export const sampleKeepalive = (sample: Sample = {}): CheckEvent =>
  sampleEvent({
    ...sample,
    check: { metadata: { name: 'keepalive' }, interval: 20, timeout: 120, output: '', ...sample.check },
    event: { timestamp: 1_700_000_000, sequence: 1, ...sample.event },
  });

/** The default waits of an agent between two attempts to connect. */
export const agentBackOff: BackOff = { minMs: 1_000, maxMs: 120_000, multiplier: 2 };
