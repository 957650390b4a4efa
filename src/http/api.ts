// The entry point of the HTTP layer: creates the API and the agent listener for a backend.
import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Committer } from '../actors/resources/committer.ts';
import type { SharedRecords } from '../actors/resources/shared-records.ts';
import { runtimeAuthorities, type TrustedAuthorities } from '../model/access/trusted-authorities.ts';
import { type Authenticator, createAuthenticator } from './auth/authenticator.ts';
import { createCredentials } from './auth/credentials.ts';
import { createGuessThrottle } from './auth/guess-throttle.ts';
import { createHashingQueue, type HashingQueue } from './auth/hashing-queue.ts';
import { createDirectories } from './auth/providers/directories.ts';
import { createIssuers } from './auth/providers/issuers.ts';
import { createSessions, type Sessions } from './auth/sessions.ts';
import { createTokens, defaultLifetimes, type Lifetimes } from './auth/tokens.ts';
import type { BackendPort } from './backend-port.ts';
import type { EdgeLimits } from './edge/limits.ts';
import { createEdge, type Edge } from './edge/listener.ts';
import { bodyLimitBytes } from './limits.ts';
import type { Log } from './log.ts';
import { createHttpMetrics, type HttpMetrics } from './metrics.ts';
import type { RouteDescription } from './openapi/document.ts';
import { withOpenApi } from './openapi/routes.ts';
import type { RequestSpans } from './request-spans.ts';
import type { Answer, Route } from './route.ts';
import { apiRoutes } from './routes/all.ts';
import { answerHealth, answerReady, type ClusterPort, type OperationsOptions } from './routes/operations.ts';
import { noSilencingLimits, type SilencingLimits } from './routes/silenced.ts';
import { createHttpServer, type HttpServer } from './server.ts';
import { showApiMetrics } from './shown-metrics.ts';
import type { TlsOptions } from './tls.ts';
import type { UnreadLimits } from './unread-answers.ts';

/** The token issuer used if none is configured. */
const tokenIssuer = 'mon-backend';

/** What logins need, and no route is handed. */
interface LoginKeeping {
  /** Where logins are kept. */
  readonly committer: Committer;
  /** The same where several backends write. */
  readonly shared?: SharedRecords | undefined;
  /** What tokens are signed with; see `openResources`. */
  readonly secret: Uint8Array;
}

export interface ApiOptions {
  readonly backend: BackendPort;
  readonly logins: LoginKeeping;
  readonly log: Log;
  readonly clock: { wallMs(): number; monotonicMs(): number };
  /** The version of this program, e.g. `0.1.0`. */
  readonly version: string;
  /** The name of this backend: `Backend-ID` in agent sessions, member name in `/health`. */
  readonly backendId: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly tls?: TlsOptions;
    /** `<scheme>://<host>` of the API for external clients; default: taken from each request. */
    readonly origin?: string;
  };
  readonly agents: {
    readonly host: string;
    readonly port: number;
    readonly tls?: TlsOptions;
    readonly limits?: Partial<EdgeLimits>;
  };
  /** Shared with the code that hashes seed passwords; created if absent. */
  readonly hashing?: HashingQueue;
  /** Trusted authorities for directories and OIDC issuers; default: those of the runtime. */
  readonly authorities?: TrustedAuthorities;
  /** Limits for the duration of silences; default: none. */
  readonly silencing?: SilencingLimits;
  /** The key that verifies licenses; without it no license is accepted. */
  readonly licenseKey?: KeyObject | undefined;
  /** For a member of a cluster. */
  readonly cluster?: ClusterPort | undefined;
  /** Token lifetimes; default: 5 minutes and 12 hours. */
  readonly lifetimes?: Lifetimes;
  /** Maximum request body size; default: 512,000. */
  readonly bodyLimitBytes?: number;
  /** Maximum number of concurrent API connections; default: see `limits.ts`. */
  readonly maxConnections?: number;
  /** Limits for unread data of large responses; default: see `limits.ts`. */
  readonly unread?: Partial<UnreadLimits>;
  /** Distributed tracing; absent: none. */
  readonly spans?: RequestSpans | undefined;
  /** Additional routes; they use the same access checks and are part of the same OpenAPI document. */
  readonly routes?: readonly Route[];
  /** Routes served outside the table that are part of the OpenAPI document. */
  readonly described?: readonly RouteDescription[];
}

export interface Api {
  /** Opens both listeners. Rejects if a port is in use. */
  listen(): Promise<{ readonly http: AddressInfo; readonly agents: AddressInfo }>;
  /** Closes the agent listener first, so that received events are still acknowledged, then the API. */
  close(): Promise<void>;
  /**
   * Uses new certificates for new connections; existing connections are kept. Throws without changes if they are
   * invalid.
   */
  renewCertificates(tls: { readonly api?: TlsOptions; readonly agents?: TlsOptions }): void;
  readonly server: HttpServer;
  readonly edge: Edge;
  readonly authenticator: Authenticator;
  /** Logins that other backends of a cluster wrote. */
  readonly logins: Pick<Sessions, 'readAgain' | 'readAllAgain'>;
  readonly metrics: HttpMetrics;
  /** All API routes, for documentation and for the access test. */
  readonly routes: readonly Route[];
}

/** Loads sessions from the store. Nothing is reachable before `listen`. */
export const createApi = async (options: ApiOptions): Promise<Api> => {
  const { secret } = options.logins;
  const { backend, log, clock, backendId, version, authorities = runtimeAuthorities } = options;
  const hashing = options.hashing ?? createHashingQueue();
  const wallMs = () => clock.wallMs();
  const monotonicMs = () => clock.monotonicMs();
  const lifetimes = options.lifetimes ?? defaultLifetimes;
  const sessions = createSessions(options.logins, wallMs, lifetimes.refreshSeconds);
  await sessions.load();
  const directories = createDirectories(backend.resources, log, authorities);
  const { resources: table } = backend;
  const issuers = createIssuers({ table, secret, log, wallMs, monotonicMs, authorities });
  const authenticator = createAuthenticator({
    table: backend.resources,
    credentials: createCredentials({
      table: backend.resources,
      hashing,
      throttle: createGuessThrottle(monotonicMs),
      directories,
    }),
    lookUp: (identity) => (identity.provider.type === 'oidc' ? issuers : directories).lookUp(identity),
    tokens: createTokens(secret, wallMs, { issuer: options.http.origin ?? tokenIssuer, lifetimes }),
    sessions,
  });
  const metrics = createHttpMetrics(monotonicMs);
  const operations: OperationsOptions = { backend, metrics, version, backendId, cluster: options.cluster };
  const described = [
    ...apiRoutes({
      backend,
      authenticator,
      issuers,
      hashing,
      operations,
      wallMs,
      silencing: options.silencing ?? noSilencingLimits,
      licenseKey: options.licenseKey,
    }),
    ...(options.routes ?? []),
  ];
  const routes = withOpenApi(described, options.described ?? [], version);
  const server = createHttpServer({
    backend,
    authenticator,
    routes,
    log,
    metrics,
    bodyLimitBytes: options.bodyLimitBytes ?? bodyLimitBytes,
    unread: options.unread,
    maxConnections: options.maxConnections,
    spans: options.spans,
    ...(options.http.tls === undefined ? {} : { tls: options.http.tls }),
    ...(options.http.origin === undefined ? {} : { origin: options.http.origin }),
  });
  const edge = createEdge({
    backend,
    authenticator,
    log,
    backendId,
    monotonicMs,
    answer: (request, response) => answerOperations(request, response, operations),
    ...(options.agents.limits === undefined ? {} : { limits: options.agents.limits }),
    ...(options.agents.tls === undefined ? {} : { tls: options.agents.tls }),
  });
  showApiMetrics(metrics, { edge, streams: server.streams, hashing, directories });
  return {
    server,
    edge,
    authenticator,
    logins: sessions,
    metrics,
    routes,
    async listen() {
      const http = await server.listen(options.http.host, options.http.port);
      const agents = await edge.listen(options.agents.host, options.agents.port);
      return { http, agents };
    },
    renewCertificates({ api, agents }) {
      // Validates both before changing either.
      for (const one of [api, agents]) if (one !== undefined) createSecureContext(one);
      server.renewCertificate(api);
      edge.renewCertificate(agents);
    },
    async close() {
      await edge.close();
      await server.close();
      metrics.close();
    },
  };
};

/** The agent listener serves `/health` and `/ready` as well. */
const answerOperations = async (
  request: IncomingMessage,
  response: ServerResponse,
  operations: OperationsOptions,
): Promise<boolean> => {
  const url = new URL(request.url ?? '/', 'http://agent-listener');
  if (request.method !== 'GET') return false;
  let answer: Answer;
  if (url.pathname === '/health')
    answer = await answerHealth(url.searchParams.get('timeout') ?? undefined, operations);
  else if (url.pathname === '/ready') answer = await answerReady(operations);
  else return false;
  const { body } = answer;
  response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return true;
};
