// The session actor: where one agent connection stands, for those who look on. It has no effects: frames go straight
// between the socket and the roads; this actor keeps the story of the connection.
import { sessionMachine } from '../../../machines/session/session-machine.ts';
import type { Behaviour, ChildSpec } from '../../runtime/contract.ts';
import { maxSessionMail } from '../../runtime/limits.ts';
import type { Session } from './sessions.ts';

export const sessionSpec = ({ id, connection, connectedAtMs }: Session): ChildSpec => {
  const behaviour: Behaviour = {
    machine: sessionMachine,
    mailbox: { capacity: maxSessionMail, overflow: 'dropOldest' },
    begin: () => ({
      input: {
        namespace: connection.namespace,
        agent: connection.agentName,
        user: connection.user,
        connectedAtMs,
      },
    }),
    perform: () => {},
  };
  return { id, restart: 'temporary', behaviour };
};
