// The API of the earlier generation and the WebSocket of its clients, on a separate port. Users and rules are those
// of the backend: Basic credentials, with the permissions in namespace `default`.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isMap, type Json } from '../../model/earlier/json.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import { MonError } from '../../model/errors.ts';
import { parseGuarded } from '../../model/schema/guarded-json.ts';
import { transportPath } from '../../wire/earlier/web-socket-messages.ts';
import { type Authenticator, parseBasic, refuseAgents } from '../auth/authenticator.ts';
import { currentPrincipal } from '../auth/current-principal.ts';
import type { Principal } from '../auth/principal.ts';
import { sendAndClose, watchHandshakes } from '../close-connection.ts';
import { mayReport, watchRules } from '../edge/standing.ts';
import type { Log } from '../log.ts';
import type { MetricBook } from '../metric-book.ts';
import { authorize } from '../rbac.ts';
import { noSilencingLimits, type SilencingLimits } from '../routes/silenced.ts';
import { renewCertificate, type TlsOptions } from '../tls.ts';
import { visibleAscii } from '../write-warnings.ts';
import { isForeign, refuseForged } from './cross-site.ts';
import { showEarlierGauges } from './gauges.ts';
import { Hub } from './hub.ts';
import {
  largeAnswerBytes,
  maxBodyBytes,
  maxUnreadAnswerBytes,
  type RequestTimeouts,
  requestTimeouts,
  stalledReaderMs,
} from './limits.ts';
import { narrowed, type Paged } from './listing.ts';
import { type Access, type Answer, type EarlierBackend, may } from './route.ts';
import { findRoute, pathOf, queryOf } from './router.ts';
import { createTransportSocket } from './transport-socket.ts';

export interface EarlierApiOptions {
  readonly backend: EarlierBackend;
  readonly authenticator: Pick<Authenticator, 'credentials'>;
  readonly log: Log;
  readonly wallMs: () => number;
  readonly version: string;
  readonly tls?: TlsOptions | undefined;
  /** Default: none. */
  readonly silencing?: SilencingLimits | undefined;
  /** Maximum size of a client's keepalive or result. */
  readonly maxMessageBytes?: number | undefined;
  /** Total size of unacknowledged messages per client, in bytes. Default: see `limits.ts`. */
  readonly maxInHandBytes?: number | undefined;
  /** Total size of unread large responses, in bytes. Default: see `limits.ts`. */
  readonly maxUnreadBytes?: number | undefined;
  /** Receives the gauges. */
  readonly metrics?: Pick<MetricBook, 'gauge'> | undefined;
  /** Default: see `limits.ts`. */
  readonly timeouts?: RequestTimeouts | undefined;
}

export interface EarlierApi {
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Uses a new certificate for new connections. */
  renewCertificate(tls: TlsOptions | undefined): void;
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<Json> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new MonError('tooLarge', `the body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  const parsed = parseGuarded(Buffer.concat(chunks), { maxBytes: maxBodyBytes });
  if (!parsed.ok) throw new MonError('invalid', parsed.message);
  if (!isMap(parsed.value)) throw new MonError('invalid', 'the body must be a JSON object');
  return parsed.value;
};

const codeOf = (error: unknown): number => (error instanceof MonError ? error.status : 500);
/**
 * The error text of the reference product for an unavailable store; monitoring tools check for it. All other errors
 * have no body.
 */
const outage = { error: 'not connected to redis' };
/** Any origin is allowed; browsers do not send credentials with such requests. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Headers': 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
};
const restricted = { 'WWW-Authenticate': 'Basic realm="Restricted Area"' };

interface Reply extends Answer {
  readonly headers?: Readonly<Record<string, string>>;
}

const createHttp = (tls: TlsOptions | undefined, timeouts: RequestTimeouts): Server =>
  tls === undefined ? createServer(timeouts) : createTlsServer({ ...tls, ...timeouts });

/** Whether the user of a connected client still has access. */
const mayStay = (table: EarlierBackend['resources'], principal: Principal): boolean => {
  const current = currentPrincipal(table, principal);
  return current !== null && mayReport(table, current, clientNamespace, '');
};

/** Errors have no body, as clients expect; the reason is in the log and in a header. */
const refused = (request: IncomingMessage, error: unknown, log: EarlierApiOptions['log']): Reply => {
  const isOutage = error instanceof MonError && error.retry && error.status >= 500;
  const code = isOutage ? 500 : codeOf(error);
  const fields = { method: request.method, path: pathOf(request) };
  if (code >= 500) log.error({ ...fields, err: error }, 'earlier API request failed');
  else log.info({ ...fields, code, reason: (error as Error).message }, 'earlier API request rejected');
  if (isOutage) return { code, body: outage };
  const why = error instanceof MonError && code < 500 ? { 'X-Error': visibleAscii(error.message) } : {};
  return { code, headers: { ...why, ...(code === 401 ? restricted : {}) } };
};

/** Sends responses, and counts the bytes of large ones that are not read yet. */
const createResponder = (log: EarlierApiOptions['log'], maxUnreadBytes: number) => {
  let unread = 0;
  /**
   * Whether a large response may be buffered until it is read. Only reads are rejected; successful writes are
   * always confirmed.
   */
  const mayHold = (request: IncomingMessage, response: ServerResponse, bytes: number): boolean => {
    // The client has already disconnected, so there is nothing to buffer.
    if (bytes < largeAnswerBytes || response.destroyed || response.closed) return true;
    if (request.method === 'GET' && unread > 0 && unread + bytes > maxUnreadBytes) return false;
    unread += bytes;
    response.once('close', () => {
      unread -= bytes;
    });
    return true;
  };

  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    { code, body, headers = {} }: Reply,
  ): void => {
    const text = body === undefined ? '' : JSON.stringify(body);
    if (!mayHold(request, response, text.length)) {
      log.warn({ path: pathOf(request) }, 'rejected: too many large responses are still being read');
      return send(request, response, { code: 503, headers: { 'Retry-After': '2' } });
    }
    const asked = request.headers['x-request-id'];
    response.sendDate = false;
    response.writeHead(code, {
      ...crossOrigin,
      ...headers,
      'X-Request-ID': typeof asked === 'string' ? asked : randomUUID(),
      Connection: 'close',
      ...(code === 204 ? {} : { 'Content-length': String(Buffer.byteLength(text)) }),
      ...(body === undefined ? {} : { 'Content-type': 'application/json' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  };

  return {
    send,
    get unreadBytes() {
      return unread;
    },
  };
};

/** Nothing is reachable before `listen`. */
export const createEarlierApi = (options: EarlierApiOptions): EarlierApi => {
  const { backend, authenticator, log, wallMs, version, tls, silencing = noSilencingLimits } = options;
  const hub = new Hub();
  backend.clients.attach(hub);
  const transport = createTransportSocket({
    hub,
    clients: backend.clients,
    log,
    maxMessageBytes: options.maxMessageBytes,
    maxInHandBytes: options.maxInHandBytes,
  });
  const server = createHttp(tls, options.timeouts ?? requestTimeouts);
  // A reader that receives no data for this long is disconnected.
  server.timeout = stalledReaderMs;
  const handshakes = watchHandshakes(server, () => undefined);

  const whoIsIt = async (request: IncomingMessage): Promise<Principal> => {
    const basic = parseBasic(request.headers.authorization);
    if (basic === undefined) throw new MonError('unauthenticated', 'missing credentials');
    const address = request.socket.remoteAddress ?? '';
    return authenticator.credentials.verify(basic.username, basic.password, address);
  };
  const permit = (principal: Principal, access: Access): void => {
    for (const right of access) {
      const request = { ...right, namespace: clientNamespace, resourceName: '' };
      if (!authorize(backend.resources, principal, request).allow) throw new MonError('permissionDenied');
    }
  };

  const decide = async (request: IncomingMessage): Promise<Reply> => {
    if (request.method === 'OPTIONS') return { code: 200 };
    refuseForged(request.method ?? '', request.headers);
    const principal = await whoIsIt(request);
    refuseAgents(principal);
    const found = findRoute(request.method ?? '', pathOf(request));
    if (found === undefined) return { code: 404 };
    if ('allowed' in found) return { code: 405, headers: { Allow: found.allowed.join(', ') } };
    const { route, params } = found;
    permit(principal, route.access);
    const query = queryOf(request);
    const body = route.method === 'POST' ? await readBody(request) : {};
    const { username } = principal;
    const answer = await route.handle({
      backend,
      params,
      query,
      body,
      nowMs: wallMs(),
      version,
      username,
      silencing,
    });
    const paged: Paged = narrowed(answer.body, query);
    return { ...answer, ...(answer.body === undefined ? {} : { body: paged.body }), headers: paged.headers };
  };

  const responder = createResponder(log, options.maxUnreadBytes ?? maxUnreadAnswerBytes);
  if (options.metrics !== undefined)
    showEarlierGauges(options.metrics, {
      get unreadAnswerBytes() {
        return responder.unreadBytes;
      },
      get subscriptions() {
        return hub.subscriptions;
      },
    });
  server.on('request', (request, response) => {
    decide(request)
      .catch((error: unknown) => refused(request, error, log))
      .then((reply) => responder.send(request, response, reply))
      .catch((error: unknown) => {
        log.error({ err: error }, 'unable to send an earlier API response');
        response.destroy();
      });
  });
  const stopWatching = watchRules(backend.resources, () => transport.review());
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) => log.debug({ err: error }, 'client disconnected during the upgrade'));
    const admit = async (): Promise<Principal | number> => {
      if (pathOf(request) !== transportPath) return 404;
      if (!backend.isReady()) return 503;
      if (isForeign(request.headers))
        throw new MonError('permissionDenied', 'upgrade requests from another origin are not allowed');
      const principal = await whoIsIt(request);
      permit(principal, may('create', 'events'));
      return principal;
    };
    admit()
      .catch((error: unknown) => refused(request, error, log).code)
      .then((admitted) => {
        if (typeof admitted === 'object')
          return transport.accept(request, socket, head, () => mayStay(backend.resources, admitted));
        const code = admitted;
        const reason = code === 401 ? '\r\nWWW-Authenticate: Basic realm="Restricted Area"' : '';
        sendAndClose(
          socket,
          `HTTP/1.1 ${code} Refused${reason}\r\nConnection: close\r\nContent-length: 0\r\n\r\n`,
        );
      });
  });

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    renewCertificate: (renewed) => renewCertificate(server, renewed),
    close: async () => {
      stopWatching();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await transport.close();
      server.closeAllConnections();
      handshakes.closePending();
      await closed;
    },
  };
};
