// The family `session`: one actor for each agent connection. It is never restarted: the agent connects again by itself.
import type { SessionContext, SessionEffect, SessionFact } from '../../../machines/session/session-facts.ts';
import { sessionMachine } from '../../../machines/session/session-machine.ts';
import { entityKey } from '../../../model/resource/names.ts';
import { defineFamily } from '../kit/family.ts';
import { maxSessionMail } from '../kit/limits.ts';

export interface SessionIdentity {
  readonly namespace: string;
  readonly agent: string;
  /** Counts the connections of this backend: an agent that comes back gets another actor. */
  readonly number: number;
  readonly user: string;
  /** Wall milliseconds. */
  readonly connectedAtMs: number;
  readonly connection: { close(code: number, reason: string): void };
}

/** Close code: connect again, to any backend. */
const goingAway = 1001;

export interface SessionPorts {
  /** The agent said that it stopped. */
  readonly stopped: (namespace: string, agent: string) => void;
}

export const sessionFamily = defineFamily<
  SessionIdentity,
  SessionContext,
  SessionFact,
  SessionEffect,
  SessionPorts
>({
  id: 'session',
  title: 'one connection of one agent',
  machine: sessionMachine,
  mailbox: { capacity: maxSessionMail, overflow: 'dropOldest' },
  supervise: { restart: 'temporary', place: { type: 'group', id: 'sessions' } },
  deadlines: {},
  key: ({ namespace, agent, number }) => `${entityKey(namespace, agent)}#${number}`,
  input: ({ namespace, agent, user, connectedAtMs }) => ({ namespace, agent, user, connectedAtMs }),
  perform(effect, _, { identity, ports }) {
    const { connection, namespace, agent } = identity;
    if (effect.type === 'connection.close') connection.close(goingAway, effect.reason);
    else ports.stopped(namespace, agent);
  },
});
