// The HTTP API: one Fastify server built from a table of routes.
// Checks run in this order, as in the reference product: known route (404), known method (405), startup finished
// (503), authentication (401), authorization (403), body (400), then the route handler.
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { errorCatalogue, MonError } from '../model/errors.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { Principal } from './auth/principal.ts';
import type { BackendPort } from './backend-port.ts';
import { parseBody } from './body.ts';
import { closeInvalid, watchHandshakes } from './close-connection.ts';
import { compressAnswers } from './compression.ts';
import { unlessKnown } from './conditions.ts';
import { entityHeaders } from './entity-headers.ts';
import {
  compressFromBytes,
  connectionTimeoutMs,
  drainTimeoutMs,
  headersTimeoutMs,
  largeAnswerBytes,
  maxAnswerMs,
  maxCompressions,
  maxConnections,
  maxPathParameterCharacters,
  maxRequestsPerSocket,
  maxUnreadAnswerBytes,
  requestTimeoutMs,
  startupRetryAfterSeconds,
  wholeListBytes,
} from './limits.ts';
import { createLiveStreams, type LiveStreams } from './live-streams.ts';
import type { Log } from './log.ts';
import { maskKeys } from './logged-path.ts';
import type { HttpMetrics } from './metrics.ts';
import { toProblem } from './problem.ts';
import { type AccessRequest, authorize } from './rbac.ts';
import { followRequests, type RequestSpans } from './request-spans.ts';
import { type AccessRule, type Answer, type Call, type Parameters, type Route, verbOf } from './route.ts';
import { ensureSystemNamespace } from './system-namespace.ts';
import { renewCertificate, type TlsOptions } from './tls.ts';
import { watchTlsMistakes } from './tls-mistakes.ts';
import { boundUnreadAnswers, type UnreadLimits } from './unread-answers.ts';
import { warningHeaders, withWarnings } from './write-warnings.ts';

export interface HttpServerOptions {
  readonly backend: BackendPort;
  readonly authenticator: Authenticator;
  readonly routes: readonly Route[];
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly tls?: TlsOptions;
  readonly bodyLimitBytes: number;
  /** Maximum number of connections; default: see `limits.ts`. */
  readonly maxConnections?: number | undefined;
  /** Limits for unread data; default: see `limits.ts`. */
  readonly unread?: Partial<UnreadLimits> | undefined;
  /** `<scheme>://<host>` for external clients; default: taken from each request. */
  readonly origin?: string;
  /** Distributed tracing; absent: none. */
  readonly spans?: RequestSpans | undefined;
}

export interface HttpServer {
  listen(host: string, port: number): Promise<AddressInfo>;
  close(): Promise<void>;
  /**
   * For routes outside the table: authenticates and authorizes. Resolves to the user's name, rejects with a
   * MonError.
   */
  authorize(request: FastifyRequest, access: AccessRequest): Promise<string>;
  /** Uses this certificate for new connections. Throws if it is invalid. */
  renewCertificate(tls: TlsOptions | undefined): void;
  /** Registers streams of routes outside the table; those of the table are registered automatically. */
  readonly streams: LiveStreams;
  /** The Fastify instance, for pages and live streams. Add routes before `listen`. */
  readonly app: FastifyInstance;
}

/** Node's timeouts, and the interval in which they are checked. */
const timeouts = { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 5_000 };

const unreadLimits: UnreadLimits = { largeAnswerBytes, maxUnreadAnswerBytes, wholeListBytes, maxAnswerMs };

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Invalid requests: not HTTP, headers too large, sender too slow. */
const nonsense: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are longer than 16 kB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};

const refuseNonsense = (error: NodeJS.ErrnoException, socket: Socket): void => {
  const [status, message] = nonsense[error.code ?? ''] ?? ['400 Bad Request', 'not an HTTP request'];
  const body = JSON.stringify({ message, code: errorCatalogue.invalid.code });
  closeInvalid(
    socket,
    error,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/** On routes that require a login. Their requests without one are one group in the metrics. */
const guarded = { config: { isGuarded: true } };

/** Principals of pending requests. */
const principals = new WeakMap<FastifyRequest, Principal>();

const answerProblems = (app: FastifyInstance, log: HttpServerOptions['log']): void => {
  // Fastify sends what a handler returns; these two have already sent their response.
  app.setNotFoundHandler((_request, reply) => {
    sendProblem(reply, new MonError('notFound'));
  });
  app.setErrorHandler((error, request, reply) => {
    const found = sendProblem(reply, error);
    if (found.fault)
      log.error({ err: error, method: request.method, path: loggedPath(request) }, 'request failed');
  });
};

/** Counts and logs every response, and traces its request. */
const logAnswers = (
  app: FastifyInstance,
  { metrics, log, spans }: Pick<HttpServerOptions, 'metrics' | 'log' | 'spans'>,
): void => {
  if (spans !== undefined) followRequests(app, spans);
  app.addHook('onResponse', async (request, reply) => {
    const fields = { method: request.method, path: loggedPath(request), status: reply.statusCode };
    const user = principals.get(request)?.username;
    metrics.observe(...groupOf(request, user), reply.statusCode, reply.elapsedTime);
    // Writes are logged with the user; reads and the stream of events are not.
    const isChange = request.method !== 'GET' && user !== undefined && !isEventRoute(request);
    log[isChange ? 'info' : 'debug'](
      { ...fields, ms: Math.round(reply.elapsedTime), ...(user === undefined ? {} : { user }) },
      isChange ? 'change' : 'request',
    );
  });
};

export const createHttpServer = (options: HttpServerOptions): HttpServer => {
  const { backend, authenticator, routes, log, metrics } = options;
  const streams = createLiveStreams(backend.resources, authenticator);
  const mistakes = watchTlsMistakes(log, ['http', 'https']);
  const app = Fastify({
    logger: false,
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: connectionTimeoutMs,
    maxRequestsPerSocket,
    // An answer of ours says so instead; see `isClosing`.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      mistakes.plain(error, socket);
      refuseNonsense(error, socket);
    },
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(reply, error);
    },
    routerOptions: { maxParamLength: maxPathParameterCharacters },
    http: timeouts,
    ...(options.tls === undefined ? {} : { https: { ...options.tls, ...timeouts } }),
  } as object) as unknown as FastifyInstance;

  app.server.maxConnections = options.maxConnections ?? maxConnections;
  metrics.watchConnections(app.server);
  boundUnreadAnswers(app, { ...unreadLimits, ...options.unread }, metrics, log);
  // After what is counted as it stands in memory.
  compressAnswers(app, { compressFromBytes, maxCompressions });
  const handshakes = watchHandshakes(app.server, mistakes.tls);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    parseBody(bytes, options.bodyLimitBytes),
  );
  answerProblems(app, log);
  let isClosing = false;
  app.addHook('onRequest', async (_request, reply) => {
    if (!isClosing) return;
    reply.header('Connection', 'close');
    sendProblem(reply, new MonError('unavailable', 'the backend is stopping; repeat the request'));
    return reply;
  });
  // The router reads a trailing slash as an empty name, which no resource has.
  app.addHook('onRequest', async (request, reply) => {
    const empty = Object.entries(request.params as Parameters).some(
      ([name, value]) => value === '' && name !== '*',
    );
    if (!empty) return;
    sendProblem(reply, new MonError('notFound'));
    return reply;
  });
  logAnswers(app, options);

  const guard = (route: Route) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (route.access === 'public') return;
    if (!backend.isReady()) return sendStartingUp(reply);
    if (route.access === 'open') return;
    const principal = await authenticator.authenticate(request.headers.authorization);
    principals.set(request, principal);
    reply.headers(entityHeaders(backend, principal));
    if (route.access === 'login') return;
    checkAccess(backend, route, route.access, principal, request.params as Parameters);
  };

  const admitStream = (body: Readable, principal: Principal, access: readonly AccessRequest[]): void => {
    try {
      body.once(
        'close',
        streams.open(principal, access, () => body.destroy()),
      );
    } catch (error) {
      body.destroy();
      throw error;
    }
  };

  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.url,
      ...(route.access === 'public' || route.access === 'open' ? {} : guarded),
      onRequest: guard(route),
      handler: async (request, reply) => {
        const call = callOf(request, options.origin);
        const principal = principals.get(request);
        await ensureSystemNamespace(backend, request.method, call.parameters);
        const handle = async (): Promise<Answer> =>
          route.access === 'public' || route.access === 'open'
            ? route.handle(call)
            : route.handle({ ...call, principal: principal ?? unguarded() });
        const answer = await withWarnings({ route, call, backend, log }, handle);
        if (isStream(answer) && principal !== undefined)
          admitStream(answer.body, principal, accessOf(route, request.params as Parameters));
        return sendAnswer(reply, unlessKnown(answer, ifNoneMatchOf(request)));
      },
    });
  }
  refuseOtherMethods(app, routes);

  return {
    app,
    streams,
    renewCertificate: (tls) => renewCertificate(app.server, tls),
    async listen(host, port) {
      await app.listen({ host, port });
      return app.server.address() as AddressInfo;
    },
    async authorize(request, access) {
      if (!backend.isReady()) throw new MonError('unavailable', 'API unavailable during startup');
      const principal = await authenticator.authenticate(request.headers.authorization);
      principals.set(request, principal);
      const decision = authorize(backend.resources, principal, access);
      if (!decision.allow) throw new MonError('permissionDenied', decision.message);
      return principal.username;
    },
    async close() {
      isClosing = true;
      // Open streams and hanging requests must not block the shutdown.
      const cutOff = setTimeout(() => app.server.closeAllConnections(), drainTimeoutMs);
      handshakes.closePending();
      await app.close();
      clearTimeout(cutOff);
      streams.close();
    },
  };
};

const unguarded = (): never => {
  throw new MonError('internal', 'a protected route was reached without a principal');
};

/** The permissions a protected route requires; empty if authentication is sufficient. */
const accessOf = ({ method, access }: Route, parameters: Parameters): readonly AccessRequest[] => {
  if (typeof access === 'string') return [];
  return [
    {
      verb: verbOf(method, access),
      resource: access.resource,
      namespace: parameters.namespace ?? '',
      resourceName: access.name?.(parameters) ?? '',
    },
  ];
};

/** An unbounded stream, unlike a long list. */
const isStream = (answer: Answer): answer is Answer & { readonly body: Readable } =>
  answer.body instanceof Readable &&
  answer.headers?.['Content-Type']?.startsWith('text/event-stream') === true;

const checkAccess = (
  backend: BackendPort,
  route: Route,
  rule: AccessRule,
  principal: Principal,
  parameters: Parameters,
): void => {
  const { selfParameter } = rule;
  const self = selfParameter !== undefined && parameters[selfParameter] === principal.username;
  const request = {
    verb: verbOf(route.method, rule),
    namespace: parameters.namespace ?? '',
    resourceName: rule.name?.(parameters) ?? '',
  };
  const decision = authorize(backend.resources, principal, { ...request, resource: rule.resource });
  if (decision.allow) return;
  if (self && authorize(backend.resources, principal, { ...request, resource: 'localselfuser' }).allow)
    return;
  throw new MonError('permissionDenied', decision.message);
};

/** A known path with an unsupported method is 405, an unknown path 404; both without authentication. */
const refuseOtherMethods = (app: FastifyInstance, routes: readonly Route[]): void => {
  const served = new Map<string, Set<string>>();
  for (const { url, method } of routes) served.set(url, (served.get(url) ?? new Set()).add(method));
  for (const [url, taken] of served) {
    const refuse = async (_request: FastifyRequest, reply: FastifyReply) =>
      reply
        .code(405)
        .header('Allow', [...taken].join(', '))
        .send();
    const method = methods.filter((candidate) => !taken.has(candidate));
    app.route({ method, url, ...guarded, onRequest: refuse, handler: refuse });
  }
};

/**
 * Method and route of a request in the metrics. Strangers can ask every route by every method: without a login these are one
 * group, so that they cannot make `/metrics` grow.
 */
const groupOf = (
  { method, routeOptions: { config, url } }: FastifyRequest,
  user: string | undefined,
): [method: string, route: string | undefined] =>
  user === undefined && 'isGuarded' in config ? ['any', 'unauthenticated'] : [method, url];

const isEventRoute = (request: FastifyRequest): boolean =>
  request.routeOptions.url?.includes('/events') === true;

/** For reads only; writes check it themselves. */
const ifNoneMatchOf = ({ method, headers }: FastifyRequest): string | undefined =>
  method === 'GET' ? headers['if-none-match'] : undefined;

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** Masks the end of API keys, whose name is the key itself, in every path: also in those that no route takes. */
const loggedPath = (request: FastifyRequest): string => maskKeys(pathOf(request));

const callOf = (request: FastifyRequest, origin: string | undefined): Call => ({
  method: request.method as Call['method'],
  parameters: request.params as Parameters,
  query: request.query as Call['query'],
  body: request.body,
  headers: request.headers,
  path: pathOf(request),
  address: request.socket.remoteAddress ?? '',
  origin: origin ?? `${request.protocol}://${request.host}`,
});

const sendAnswer = (reply: FastifyReply, { status, headers, body, warnings }: Answer): FastifyReply => {
  reply.code(status);
  if (warnings !== undefined && warnings.length > 0) reply.header('Warning', warningHeaders(warnings));
  if (headers !== undefined) reply.headers(headers);
  return body === undefined ? reply.send() : reply.send(body);
};

const sendProblem = (reply: FastifyReply, error: unknown) => {
  const found = toProblem(error);
  reply.code(found.status).header('X-Content-Type-Options', 'nosniff').type('application/json');
  if (found.retryAfterSeconds !== undefined) reply.header('Retry-After', String(found.retryAfterSeconds));
  reply.send(JSON.stringify(found.body));
  return found;
};

const sendStartingUp = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .headers({
      'Retry-After': String(startupRetryAfterSeconds),
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'text/plain; charset=utf-8',
    })
    .send('API unavailable during startup.\nSee the option api-serve-wait-time.\n');
