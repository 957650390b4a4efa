// Starts a session after the upgrade: connects socket, connection, session book and backend, and cleans up when the
// socket closes.
import { definitionsIn } from '../../actors/resources/configuration.ts';
import { isAgentStopped } from '../../wire/close.ts';
import type { AgentSession, BackendPort } from '../backend-port.ts';
import type { Log } from '../log.ts';
import type { AckBatcher } from './acknowledger.ts';
import { AgentConnection, type AgentSocket } from './agent-connection.ts';
import { chooseCodec, type SharedMemory } from './codec.ts';
import type { EdgeCounts } from './counts.ts';
import type { Welcome } from './handshake.ts';
import { closeCodes, type EdgeLimits } from './limits.ts';
import { createReportingRights } from './reporting-rights.ts';
import type { SessionBook } from './session-book.ts';
import type { RulesVersion } from './standing.ts';

/** A socket with event callbacks. */
export interface LiveSocket extends AgentSocket {
  onMessage(listener: (data: Buffer) => void): void;
  onPong(listener: () => void): void;
  onError(listener: (error: Error) => void): void;
  onClose(listener: (code: number, reason: string) => void): void;
}

export interface EdgeServices {
  readonly backend: BackendPort;
  readonly log: Log;
  readonly limits: EdgeLimits;
  readonly counts: EdgeCounts;
  readonly acks: AckBatcher;
  readonly memory: SharedMemory;
  readonly book: SessionBook;
  readonly rules: RulesVersion;
}

const connectionFor = (
  services: EdgeServices,
  socket: AgentSocket,
  { agent, principal }: Welcome,
): AgentConnection => {
  const { backend, limits, counts, log, acks, memory, rules } = services;
  const { namespace, agentName } = agent;
  const { mayReportFor } = createReportingRights({ table: backend.resources, principal, namespace, rules });
  return new AgentConnection({
    socket,
    backend,
    codec: chooseCodec(agent.accept),
    identity: { namespace, agentName, mayReportFor, definition: definitionsIn(backend.resources, namespace) },
    user: principal.username,
    mayStay: () => mayReportFor(agentName),
    acks: agent.ack ? acks : null,
    memory,
    limits,
    counts,
    log,
  });
};

const beginSession = (
  services: EdgeServices,
  connection: AgentConnection,
  { agent, principal, mutualTls }: Welcome,
): AgentSession | undefined => {
  const { namespace, agentName, subscriptions } = agent;
  const { codec } = connection.options;
  try {
    return services.backend.openSession({
      namespace,
      agentName,
      user: principal.username,
      subscriptions,
      contentType: codec.contentType,
      mutualTls,
      send: (frame) => connection.send(codec.outgoing(frame)),
      close: (code, reason) => connection.close(code, reason),
    });
  } catch (error) {
    services.log.error({ namespace, agent: agentName, err: error }, 'unable to open a session');
    connection.close(closeCodes.internalError, 'the session could not be opened; reconnect');
    return undefined;
  }
};

/** `from`: the remote address of the agent. */
export const welcomeAgent = (
  services: EdgeServices,
  socket: LiveSocket,
  welcome: Welcome,
  from: string,
): void => {
  const { book, log } = services;
  const { namespace, agentName, ack } = welcome.agent;
  const who = { namespace, agent: agentName };
  const connection = connectionFor(services, socket, welcome);
  const leave = book.enter(`${namespace}/${agentName}`, connection, from);
  let session: AgentSession | undefined;

  socket.onMessage((data) => connection.receive(data));
  socket.onPong(() => connection.ponged());
  socket.onError((error) => log.info({ ...who, why: error.message }, 'agent socket'));
  socket.onClose((code, reason) => {
    const isStopped = connection.closed() && isAgentStopped(code, reason);
    log.info({ ...who, code, reason }, 'agent disconnected');
    session?.closed(`${code} ${reason}`.trim(), { isStopped });
    leave();
  });
  const { principal, mutualTls } = welcome;
  log.info({ ...who, user: principal.username, from, ack, mutualTls }, 'agent connected');
  session = beginSession(services, connection, welcome);
  connection.adjustReading();
};
