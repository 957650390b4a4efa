// The protocol on one connection, from handshake to close.
// waiting      for the backend's first entity_config, up to ten seconds; check requests are dropped
// established  sends keepalives and events, runs check requests
import type { Event } from '../../model/event/event.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import { parseGuarded } from '../../model/schema/guarded-json.ts';
import type { Logger } from '../../program/log.ts';
import { type Frame, unknownMessageType } from '../../wire/frames.ts';
import { maxPayloadBytes } from '../../wire/limits.ts';
import { type Ack, ackSchema, entityConfigMessageSchema } from '../../wire/messages.ts';
import type { AgentEntity, Difference } from '../agent-entity.ts';
import { type Cancel, type Clock, every, nowSeconds } from '../clock.ts';
import type { Counters } from '../counters.ts';
import type { AgentConfig } from '../flags.ts';
import { ackTimeoutMs, entityConfigWaitMs } from '../limits.ts';
import type { DeliveryQueue } from '../queue/delivery-queue.ts';
import type { Line } from './dial.ts';
import { buildKeepalive } from './keepalive.ts';
import { encodeEvent, encodeKeepalive } from './outgoing.ts';

export interface SessionTools {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly entity: AgentEntity;
  readonly queue: DeliveryQueue;
  readonly counters: Counters;
  readonly newId: () => string;
  readonly nextSequence: (check: string) => number;
  readonly runCheck: (payload: unknown) => void;
  /** Drops the connection; the agent connects to the next backend. */
  readonly drop: (why: string) => void;
}

export interface Session {
  frame(frame: Frame): void;
  end(): void;
}

type Payload =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

const parsePayload = (frame: Frame): Payload => {
  const parsed = parseGuarded(frame.payload, { maxBytes: maxPayloadBytes });
  return parsed.ok ? parsed : { ok: false, message: parsed.message };
};

export const openSession = (line: Line, tools: SessionTools): Session => {
  const { clock, config, counters, entity, log, queue } = tools;
  let established = false;
  let lastProgressMs = clock.monotonicMs();
  const timers: Cancel[] = [];

  const send = (frame: Buffer, sent: (error?: Error) => void) =>
    line.send(frame, (error) => {
      counters.add(error === undefined ? 'messagesSent' : 'messagesDropped');
      if (error !== undefined) log.error({ error: error.message }, 'error sending message over websocket');
      sent(error);
    });

  const sendEvent = (event: Event, sent: (error?: Error) => void) => {
    const { frame, cut } = encodeEvent(event);
    const about = { check: event.check?.metadata.name, event_uuid: event.id, payload_size: frame.length };
    if (cut !== '') log.warn({ ...about, cut }, 'event truncated to fit into one message');
    log.debug({ ...about, type: 'event' }, 'sending message');
    send(frame, sent);
  };

  const sendKeepalive = () => {
    const now = nowSeconds(clock);
    const sequence = tools.nextSequence(keepaliveCheckName);
    const stamp = { nowSeconds: now, id: tools.newId(), sequence };
    send(encodeKeepalive(buildKeepalive(config, entity.current(now), stamp)), () => {});
  };

  /** Events are unacknowledged and nothing arrives: this backend has lost them. */
  const watchAcks = () => {
    if (queue.underWay() === 0) lastProgressMs = clock.monotonicMs();
    else if (clock.monotonicMs() - lastProgressMs >= ackTimeoutMs)
      tools.drop(`no acknowledgement for ${ackTimeoutMs / 1000} s`);
  };

  const establish = () => {
    if (established) return;
    established = true;
    cancelWait();
    sendKeepalive();
    timers.push(every(clock, config.keepaliveInterval * 1000, sendKeepalive));
    if (line.agreement.ack) timers.push(every(clock, ackTimeoutMs / 12, watchAcks));
    lastProgressMs = clock.monotonicMs();
    queue.open({ acknowledges: line.agreement.ack, send: sendEvent });
  };

  const cancelWait = clock.after(entityConfigWaitMs, () => {
    log.warn('no entity config received; using the local entity');
    establish();
  });
  timers.push(cancelWait);

  /** Once per flag: it has no effect while the stored entity has a different value. */
  const tellDifferences = (differs: readonly Difference[]): void => {
    if (differs.length === 0) return;
    log.warn(
      { differs: differs.map(({ field }) => field) },
      'the entity stored by the backend differs from the local settings and takes precedence',
    );
    for (const { field, flag, local, stored } of differs)
      log.warn(
        { field, flag, local, stored },
        `${flag} has no effect: its value is ${JSON.stringify(local)}, but the entity stored by the backend has ${JSON.stringify(stored)}; ` +
          `change ${field} of entity ${config.name} there, delete that entity so that it registers again, or start with --agent-managed-entity`,
      );
  };

  const adopt = (payload: unknown): string | null => {
    const parsed = entityConfigMessageSchema.safeParse(payload);
    if (!parsed.success) return `entity_config is invalid: ${parsed.error.issues[0]?.message ?? ''}`;
    const adoption = entity.adopt(parsed.data);
    if (adoption.adopted) tellDifferences(adoption.differs);
    if (!adoption.adopted && adoption.why === 'otherName')
      log.error({ entity: parsed.data.metadata.name }, 'ignored entity_config of another entity');
    establish();
    return null;
  };

  const settle = (payload: unknown): string | null => {
    const parsed = ackSchema.safeParse(payload);
    if (!parsed.success) return 'ack is invalid: it must contain a list of ids';
    const ack: Ack = parsed.data;
    if (ack.ids.length + ack.refused.length > 0) lastProgressMs = clock.monotonicMs();
    queue.acknowledged(ack.ids, ack.refused);
    return null;
  };

  const runCheck = (payload: unknown): string | null => {
    if (established) tools.runCheck(payload);
    else log.debug('check request dropped: the session is not established yet');
    return null;
  };

  const handlers: Readonly<Record<string, (payload: unknown) => string | null>> = {
    entity_config: adopt,
    check_request: runCheck,
    ack: settle,
  };

  if (config.agentManagedEntity) establish();

  return {
    frame: (frame) => {
      counters.add('messagesReceived');
      log.debug({ type: frame.type, payload_size: frame.payload.length }, 'message received');
      const handle = Object.hasOwn(handlers, frame.type) ? handlers[frame.type] : undefined;
      const payload = parsePayload(frame);
      const problem =
        handle === undefined
          ? unknownMessageType(frame.type)
          : payload.ok
            ? handle(payload.value)
            : payload.message;
      if (problem !== null) log.error({ error: problem, type: frame.type }, 'error handling message');
    },
    end: () => {
      for (const cancel of timers) cancel();
      queue.close();
    },
  };
};
