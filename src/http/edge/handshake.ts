// The agent handshake: all checks before an upgrade completes, in this order: 503 starting up, 429 too many
// connections, 401 invalid credentials, 403 not allowed, 404 unknown namespace, 402 entity limit, 405 and 400
// invalid upgrade request, then 101.
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { MonError } from '../../model/errors.ts';
import { nameSchema } from '../../model/resource/names.ts';
import { agentsGroup, agentUsername } from '../../model/resource/seeds.ts';
import { type AgentHeaders, readAgentHeaders } from '../../wire/headers.ts';
import { type Authenticator, parseBasic } from '../auth/authenticator.ts';
import { findUser, groupsOf } from '../auth/credentials.ts';
import { ThrottledError } from '../auth/guess-throttle.ts';
import type { Principal } from '../auth/principal.ts';
import type { BackendPort } from '../backend-port.ts';
import { hashingRetryAfterSeconds, startupRetryAfterSeconds } from '../limits.ts';
import { mayReport } from './standing.ts';

export interface Refused {
  readonly type: 'refused';
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export interface Welcome {
  readonly type: 'welcome';
  readonly agent: AgentHeaders;
  readonly principal: Principal;
  readonly mutualTls: boolean;
}

const refused = (status: number, message: string, retryAfterSeconds?: number): Refused => ({
  type: 'refused',
  status,
  message,
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});

const agentNameSchema = nameSchema('agent name');

export interface HandshakeOptions {
  readonly backend: BackendPort;
  readonly authenticator: Authenticator;
  /** Returns the milliseconds until another agent may connect, or 0 if this one may. */
  readonly admit: () => number;
  /**
   * Whether every agent must present a client certificate, which then replaces the password for any user name.
   * Otherwise, an agent without a password can connect only as the user named in its certificate.
   */
  readonly certificatesDemanded: boolean;
}

/** Whether the connection has a client certificate signed by a trusted authority. */
const isMutual = (request: IncomingMessage): boolean =>
  (request.socket as Partial<TLSSocket>).authorized === true;

/** The name in a certificate that replaces a password. */
const certificateName = (request: IncomingMessage): string | undefined => {
  const name = (request.socket as Partial<TLSSocket>).getPeerCertificate?.().subject?.CN;
  return typeof name === 'string' && name !== '' ? name : undefined;
};

const byCertificate = (backend: BackendPort, name: string, isDemanded: boolean): Principal | Refused => {
  const user = findUser(backend.resources, name);
  if (user?.disabled === true) return refused(401, 'bad credentials');
  if (user !== undefined) return { username: user.username, groups: groupsOf(user), via: 'certificate' };
  // An agent without its own user acts in the agents' group.
  if (isDemanded) return { username: agentUsername, groups: [agentsGroup], via: 'certificate' };
  return refused(
    401,
    `missing credentials: no password was sent, and there is no user with the name in the certificate (${name})`,
  );
};

const whoIsIt = async (
  request: IncomingMessage,
  { backend, authenticator, certificatesDemanded }: HandshakeOptions,
): Promise<Principal | Refused> => {
  const certified = isMutual(request) ? certificateName(request) : undefined;
  const basic = parseBasic(request.headers.authorization);
  if (certified !== undefined && (certificatesDemanded || basic === undefined))
    return byCertificate(backend, certified, certificatesDemanded);
  if (basic === undefined) return refused(401, 'missing credentials');
  const address = request.socket.remoteAddress ?? '';
  try {
    return await authenticator.credentials.verify(basic.username, basic.password, address);
  } catch (error) {
    if (error instanceof ThrottledError) return refused(429, error.message, error.retryAfterSeconds);
    if (!(error instanceof MonError)) throw error;
    if (error.kind === 'unavailable') return refused(503, error.message, hashingRetryAfterSeconds);
    return refused(error.status, error.message);
  }
};

const isRefused = (value: Principal | Refused): value is Refused => 'type' in value;

/** Checks that the request is a WebSocket upgrade, and same-origin if it comes from a page. */
const upgradeFault = (request: IncomingMessage): Refused | null => {
  const { headers } = request;
  const wantsUpgrade =
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    headers['sec-websocket-key'] !== undefined;
  if (!wantsUpgrade)
    return refused(400, 'Bad Request: this URL accepts WebSocket upgrade requests (version 13) of agents');
  if (request.method !== 'GET') return refused(405, 'Method Not Allowed');
  if (headers.origin !== undefined && !sameHost(headers.origin, headers.host))
    return refused(403, 'Forbidden');
  return null;
};

const sameHost = (origin: string, host: string | undefined): boolean => {
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
};

/** Decides about one handshake. Never rejects because of the request. */
export const decideHandshake = async (
  request: IncomingMessage,
  options: HandshakeOptions,
): Promise<Welcome | Refused> => {
  const { backend, admit } = options;
  if (!backend.isReady())
    return refused(503, 'agentd temporarily unavailable during startup', startupRetryAfterSeconds);
  // Many agents reconnect at once after an outage: those above the rate are told to retry later.
  const waitSeconds = Math.ceil(admit() / 1_000);
  if (waitSeconds > 0) return refused(429, 'too many agents are connecting; try again later', waitSeconds);

  const principal = await whoIsIt(request, options);
  if (isRefused(principal)) return principal;

  const agent = readAgentHeaders(request.headers);
  if (agent.type === 'refused') return refused(400, agent.message);
  const { agentName, namespace } = agent;
  if (!mayReport(backend.resources, principal, namespace, agentName)) return refused(403, 'Forbidden');
  if (namespace === '' || !backend.resources.hasNamespace(namespace))
    return refused(404, `namespace "${namespace}" not found`);
  const named = agentNameSchema.safeParse(agentName);
  if (!named.success) return refused(400, named.error.issues[0]?.message ?? 'agent name is invalid');
  if (!backend.admitsEntity(namespace, agentName))
    return refused(402, 'entity limit reached: a valid license with a sufficient entity limit is required');
  const fault = upgradeFault(request);
  if (fault !== null) return fault;
  return { type: 'welcome', agent, principal, mutualTls: isMutual(request) };
};
