// Parses a payload to a validated event, or returns an error.
// This is the trust boundary of the event flow: after it, types can be relied on. Claims of an agent about its
// namespace and other entities are checked against the permissions of its login.
import { randomUUID } from 'node:crypto';
import type { FindDefinition } from '../../model/check/check-rules.ts';
import { withOwnSubscription } from '../../model/entity/entity.ts';
import { type Event, writtenEntity } from '../../model/event/event.ts';
import { parseEvent } from '../../model/event/event-parse.ts';
import { timeFault } from '../../model/event/event-rules.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import type { AgentCodec } from './codec.ts';
import type { EventMemory } from './event-memory.ts';

/** The authenticated agent of a session. */
export interface AgentIdentity {
  readonly namespace: string;
  readonly agentName: string;
  /** Whether this login may report for an entity other than the agent's own: for any check, or for the given one. */
  mayReportFor(entity: string, check?: string): boolean;
  /** The check definitions of its namespace. */
  readonly definition?: FindDefinition;
}

export type ReadFrame =
  | { readonly ok: true; readonly event: Event; readonly id: string }
  /** `id` is set if it could be parsed; the rejection contains it. */
  | { readonly ok: false; readonly message: string; readonly id: string | null };

const refuse = (message: string, raw: unknown): ReadFrame => {
  const id = (raw as { id?: unknown } | null | undefined)?.id;
  return { ok: false, message, id: typeof id === 'string' ? id : null };
};

/** Checks what an agent may claim, including subscriptions of other entities. */
const claimFault = (event: Event, agent: AgentIdentity): string | null => {
  const { entity } = event;
  const name = entity.metadata.name;
  const written = writtenEntity(event);
  for (const one of written === name ? [name] : [name, written])
    if (one !== agent.agentName && !agent.mayReportFor(one, event.check?.metadata.name))
      return `agent ${agent.agentName} may not report for entity ${one}`;
  entity.subscriptions = withOwnSubscription(entity).subscriptions;
  return null;
};

const keepaliveFault = (event: Event, agent: AgentIdentity): string | null => {
  if (event.check?.metadata.name !== keepaliveCheckName)
    return `a keepalive carries a check named ${keepaliveCheckName}`;
  if (event.timestamp === 0) return 'keepalive contains invalid timestamp';
  if (event.entity.metadata.name !== agent.agentName)
    return `agent ${agent.agentName} may not send keepalives for entity ${event.entity.metadata.name}`;
  return null;
};

/** One parse, one schema, one validation. Never throws. */
export const readEventFrame = (
  kind: 'event' | 'keepalive',
  payload: Buffer,
  codec: AgentCodec,
  agent: AgentIdentity,
  memory?: EventMemory,
): ReadFrame => {
  const { namespace, definition } = agent;
  const address = { namespace, ...(definition === undefined ? {} : { definition }) };
  const known = memory?.recognise(payload, address);
  if (known !== undefined) {
    const fault = timeFault(known);
    return fault === null ? judge(kind, known, known, agent) : refuse(fault, known);
  }
  const raw = codec.decodeEvent(payload);
  if (!raw.ok) return refuse(raw.message, undefined);
  const parsed = parseEvent(raw.value, address);
  if (!parsed.ok) return refuse(parsed.message, raw.value);
  const read = judge(kind, parsed.value, raw.value, agent);
  if (read.ok) memory?.learn(payload, address, read.event);
  return read;
};

const judge = (kind: 'event' | 'keepalive', event: Event, raw: unknown, agent: AgentIdentity): ReadFrame => {
  const fault = claimFault(event, agent) ?? (kind === 'keepalive' ? keepaliveFault(event, agent) : null);
  if (fault !== null) return refuse(fault, raw);
  // From here on every event has an id, which identifies retries.
  event.id ??= randomUUID();
  return { ok: true, event, id: event.id };
};
