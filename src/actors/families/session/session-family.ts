// The family `session`: one actor for each agent connection. It is never restarted: the agent connects again by itself.
import type { SessionContext, SessionFact } from '../../../machines/session/session-facts.ts';
import { sessionMachine } from '../../../machines/session/session-machine.ts';
import { entityKey } from '../../../model/names.ts';
import { defineFamily, type Effect } from '../kit/family.ts';
import { maxSessionMail } from '../kit/limits.ts';

export interface SessionIdentity {
  readonly namespace: string;
  readonly agent: string;
  /** Counts the connections of this backend: an agent that comes back gets another actor. */
  readonly number: number;
  readonly user: string;
  /** Wall milliseconds. */
  readonly connectedAtMs: number;
}

export const sessionFamily = defineFamily<SessionIdentity, SessionContext, SessionFact, Effect, undefined>({
  id: 'session',
  title: 'one connection of one agent',
  machine: sessionMachine,
  mailbox: { capacity: maxSessionMail, overflow: 'dropOldest' },
  supervise: { restart: 'temporary', place: { type: 'group', id: 'sessions' } },
  deadlines: {},
  key: ({ namespace, agent, number }) => `${entityKey(namespace, agent)}#${number}`,
  input: ({ namespace, agent, user, connectedAtMs }) => ({ namespace, agent, user, connectedAtMs }),
  perform() {},
});
