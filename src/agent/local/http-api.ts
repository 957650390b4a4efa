// The HTTP API of the agent: local programs submit events and query the agent's health. An
// event is on disk before the response 202.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActorInfo } from '../../actors/runtime/supervision/tree.ts';
import type { Event } from '../../model/event/event.ts';
import { parseGuarded } from '../../model/schema/guarded-json.ts';
import { errorText, type Logger } from '../../program/log.ts';
import type { Stage } from '../../program/stage.ts';
import { version } from '../../program/version.ts';
import { apiTimeoutMs, maxApiBodyBytes } from '../limits.ts';

export interface ApiOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
  readonly isConnected: () => boolean;
  readonly prepare: (raw: unknown) => Stage<Event>;
  /** Resolves when the event is durable. */
  readonly accept: (event: Event) => Promise<void>;
  /** The agent's actors, as `GET /actors` lists them. */
  readonly actors: () => readonly ActorInfo[];
  /** Prometheus text format. */
  readonly metrics: () => string;
}

export interface HttpApi {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Rejects events from pages of other origins, which can reach this address through a browser. The `Origin` header
 * identifies the page.
 */
const isForeign = (origin: string | undefined, host: string): boolean => {
  if (origin === undefined) return false;
  try {
    const { hostname } = new URL(origin);
    return !loopbackNames.has(hostname) && hostname !== host && hostname !== `[${host}]`;
  } catch {
    // `null`: a page that hides its origin.
    return true;
  }
};

type Reply = (status: number, body?: string, type?: string) => void;

const plain = 'text/plain; charset=utf-8';
const json = 'application/json';

const replyOn =
  (response: ServerResponse): Reply =>
  (status, body = '', type = plain) => {
    if (response.writableEnded || response.headersSent) return;
    response.writeHead(status, {
      ...(body === '' ? {} : { 'Content-Type': type }),
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(body);
  };

type Body = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false };

const readBody = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxApiBodyBytes) return { ok: false };
    chunks.push(chunk as Buffer);
  }
  return { ok: true, bytes: Buffer.concat(chunks) };
};

const about = (event: Event) => ({
  event_uuid: event.id,
  entity: event.entity.metadata.name,
  check: event.check?.metadata.name,
  metrics: event.metrics !== undefined,
});

const postEvent = async (request: IncomingMessage, reply: Reply, options: ApiOptions): Promise<void> => {
  const body = await readBody(request);
  if (!body.ok) return reply(400, `http: request body too large (at most ${maxApiBodyBytes} bytes)\n`);
  if (body.bytes.length === 0) return reply(400, 'EOF\n');
  const parsed = parseGuarded(body.bytes, { maxBytes: maxApiBodyBytes });
  if (!parsed.ok) return reply(400, `${parsed.message}\n`);
  const prepared = options.prepare(parsed.value);
  if (!prepared.ok) return reply(400, `${prepared.message}\n`);
  try {
    await options.accept(prepared.value);
  } catch (error) {
    options.log.error({ error: errorText(error) }, 'error queueing message');
    return reply(500, 'error queueing message\n');
  }
  options.log.info(about(prepared.value), 'sending event to backend');
  reply(202);
};

const notFound = '404 page not found\n';
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const readPaths: ReadonlySet<string> = new Set(['/healthz', '/version', '/actors']);

/** `state`: of the statechart; null while the actor waits for its restart. */
const actorRows = ({ actors }: ApiOptions) =>
  actors().map(({ id, machine, value, restarts, mailbox, handled, ageMs }) => ({
    id,
    machine,
    state: value ?? null,
    restarts,
    mailbox,
    handled,
    age_seconds: ageMs === undefined ? null : Math.floor(ageMs / 1000),
  }));

const route = async (request: IncomingMessage, reply: Reply, options: ApiOptions): Promise<void> => {
  const path = (request.url ?? '/').split('?')[0];
  const method = request.method ?? '';
  const { origin } = request.headers;
  if (isForeign(origin, options.host))
    return reply(403, `requests of pages from another origin (${origin}) are rejected\n`);
  if (path === '/events') return method === 'POST' ? postEvent(request, reply, options) : reply(405);
  if (path === '/metrics') return reply(200, options.metrics(), 'text/plain; version=0.0.4; charset=utf-8');
  if (path === '/healthz' && reads.has(method))
    return options.isConnected() ? reply(200, 'ok') : reply(503, 'mon backend unavailable');
  if (path === '/version' && reads.has(method)) return reply(200, JSON.stringify({ version }), json);
  if (path === '/actors' && reads.has(method)) return reply(200, JSON.stringify(actorRows(options)), json);
  return readPaths.has(path ?? '') ? reply(405) : reply(404, notFound);
};

const handle = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiOptions,
): Promise<void> => {
  const reply = replyOn(response);
  try {
    await route(request, reply, options);
  } catch (error) {
    options.log.error({ error: errorText(error), path: request.url }, 'internal error in the agent API');
    reply(500, 'internal error occurred\n');
  }
  // The unread rest of a rejected body must not be parsed as the next request.
  if (!request.complete) response.once('finish', () => request.destroy());
};

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Rejects if the address is not available: the agent must not start without its configured API. */
export const startHttpApi = async (options: ApiOptions): Promise<HttpApi> => {
  const server = createServer((request, response) => void handle(request, response, options));
  server.requestTimeout = apiTimeoutMs;
  server.headersTimeout = apiTimeoutMs;
  server.timeout = apiTimeoutMs;
  await listen(server, options.host, options.port);
  const address = server.address() as AddressInfo;
  options.log.info(`starting api on address: ${address.address}:${address.port}`);
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
