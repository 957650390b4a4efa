// The listener for agents. The only file that imports the WebSocket server library. It completes upgrades after the
// handshake check, passes messages to the AgentConnection, sends pings, enforces one session per agent, applies
// backpressure, and shuts down in order.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { within } from '../../model/time/within.ts';
import { createTokenBucket } from '../../model/token-bucket.ts';
import { asBuffer } from '../../wire/frames.ts';
import { backendHeaderLines } from '../../wire/headers.ts';
import { maxBufferedChunks, maxFragments, maxPayloadBytes } from '../../wire/limits.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { BackendPort } from '../backend-port.ts';
import { closeInvalid, watchHandshakes } from '../close-connection.ts';
import type { Log } from '../log.ts';
import { createReminder } from '../reminder.ts';
import { renewCertificate, type TlsOptions } from '../tls.ts';
import { watchTlsMistakes } from '../tls-mistakes.ts';
import { AckBatcher } from './acknowledger.ts';
import { KnownDefinitions } from './binary-memory.ts';
import { chooseCodec, codecs } from './codec.ts';
import { type EdgeCounts, newEdgeCounts, noteHandshake } from './counts.ts';
import { decideHandshake, type HandshakeOptions, type Refused, type Welcome } from './handshake.ts';
import { KnownFrames } from './known-frame.ts';
import { closeCodes, type EdgeLimits, edgeLimits } from './limits.ts';
import { messageFrame } from './message-frame.ts';
import { refuseRequest, refuseUpgrade } from './refusal.ts';
import { SessionBook } from './session-book.ts';
import { createRulesVersion, watchRules } from './standing.ts';
import { type EdgeServices, type LiveSocket, welcomeAgent } from './welcome.ts';

export interface EdgeOptions {
  readonly backend: BackendPort;
  readonly authenticator: Authenticator;
  readonly log: Log;
  /** Sent to agents as `Backend-ID`. */
  readonly backendId: string;
  readonly monotonicMs: () => number;
  /** Serves `/health` and `/ready` on this listener as well. Resolves to false for other paths. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  readonly limits?: Partial<EdgeLimits>;
  readonly tls?: TlsOptions;
}

export interface Edge {
  /** Rejects if the port is in use. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Sends `bye` to every agent, waits for them to close, then disconnects the rest. */
  close(): Promise<void>;
  /** Uses this certificate for new connections. Throws if it is invalid. */
  renewCertificate(tls: TlsOptions | undefined): void;
  readonly counts: EdgeCounts;
  readonly sessions: number;
}

const refusal = (status: number, message: string): Refused => ({ type: 'refused', status, message });
const notFound = refusal(404, '404 page not found');
const notAnUpgrade = refusal(400, 'Bad Request');
const shuttingDown = refusal(503, 'shutting down; try another backend');
const tooSlow = refusal(503, 'the handshake timed out; try again');
const broken = refusal(500, 'Internal Server Error');

/** Decides within the handshake timeout. */
const decideInTime = async (
  request: IncomingMessage,
  handshake: HandshakeOptions,
  { handshakeTimeoutMs }: EdgeLimits,
  log: Log,
): Promise<Welcome | Refused> => {
  try {
    return await within(decideHandshake(request, handshake), handshakeTimeoutMs, () => tooSlow);
  } catch (error) {
    log.error({ err: error }, 'handshake failed');
    return broken;
  }
};

/** The server of the WebSocket library, which adds our header lines to upgrade responses. */
const createUpgrader = (backendId: string, { closeTimeoutMs }: EdgeLimits) => {
  const welcomes = new WeakMap<IncomingMessage, Welcome>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxPayloadBytes,
    ...{ maxFragments, maxBufferedChunks, closeTimeout: closeTimeoutMs },
  });
  sockets.on('headers', (lines, request) => {
    const agent = welcomes.get(request)?.agent;
    if (agent === undefined) return;
    const { contentType } = chooseCodec(agent.accept);
    const accepts = codecs.map((codec) => codec.contentType);
    lines.push(...backendHeaderLines({ contentType, backendId, ack: agent.ack, accepts }));
  });
  return (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    welcome: Welcome,
    open: (webSocket: WebSocket) => void,
  ): void => {
    welcomes.set(request, welcome);
    sockets.handleUpgrade(request, socket, head, open);
  };
};

/** Node's own responses to invalid requests. */
const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const createPlainServer = (tls: TlsOptions | undefined, limits: EdgeLimits): Server => {
  const timeouts = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.handshakeTimeoutMs * 2,
    // How often Node checks for expired requests.
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 1_000),
  };
  return tls === undefined ? createServer(timeouts) : createTlsServer({ ...timeouts, ...tls });
};

export const createEdge = (options: EdgeOptions): Edge => {
  const { backend, authenticator, log, backendId, monotonicMs } = options;
  const limits: EdgeLimits = { ...edgeLimits, ...options.limits };
  const counts = newEdgeCounts();
  const book = new SessionBook(counts, limits.pingIntervalMs);
  const services: EdgeServices = {
    backend,
    log,
    limits,
    counts,
    acks: new AckBatcher(counts.ackSeconds),
    memory: { json: new KnownFrames(), binary: new KnownDefinitions() },
    book,
    rules: createRulesVersion(backend.resources),
  };
  const rate = createTokenBucket(limits.connectionsPerSecond, limits.connectionBurst, monotonicMs());
  const admit = () => rate.take(monotonicMs());
  const upgrade = createUpgrader(backendId, limits);
  const server = createPlainServer(options.tls, limits);
  const mistakes = watchTlsMistakes(log, ['ws', 'wss'], monotonicMs);
  const isDue = createReminder(monotonicMs);
  const handshakes = watchHandshakes(server, mistakes.tls);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    mistakes.plain(error, socket as Socket);
    const status = clientErrors[error.code ?? ''] ?? '400 Bad Request';
    closeInvalid(socket, error, `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  });
  const certificatesDemanded = options.tls?.rejectUnauthorized === true;
  let closing = false;

  const decide = async (request: IncomingMessage): Promise<Welcome | Refused> => {
    if (pathOf(request) !== '/') return notFound;
    const startedMs = monotonicMs();
    const verdict = closing
      ? shuttingDown
      : await decideInTime(request, { backend, authenticator, admit, certificatesDemanded }, limits, log);
    const status = verdict.type === 'refused' ? verdict.status : 101;
    noteHandshake(counts, status, (monotonicMs() - startedMs) / 1_000);
    return verdict;
  };

  const onUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    socket.on('error', (error) => log.debug({ err: error }, 'agent disconnected during the handshake'));
    const verdict = await decide(request);
    if (socket.destroyed) return;
    if (verdict.type === 'refused') {
      const who = whoAsks(request);
      const fields = { ...who, status: verdict.status, why: verdict.message };
      // A rejected agent keeps retrying, so the log reports it at a limited rate.
      if (isDue(`${verdict.status} ${who.address} ${String(who.agent)}`)) log.warn(fields, 'agent refused');
      else log.info(fields, 'agent refused');
      refuseUpgrade(socket, verdict);
      return;
    }
    upgrade(request, socket, head, verdict, (webSocket) => {
      // The agent was accepted after the shutdown began.
      if (closing) webSocket.close(closeCodes.goingAway, 'bye');
      else
        welcomeAgent(
          services,
          liveSocket(webSocket, socket),
          verdict,
          request.socket.remoteAddress ?? 'unknown',
        );
    });
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (await options.answer(request, response)) return;
    // Not an upgrade: the same checks in the same order, then 400.
    const verdict = await decide(request);
    refuseRequest(response, verdict.type === 'refused' ? verdict : notAnUpgrade);
  };

  server.on('upgrade', (request, socket, head) => {
    onUpgrade(request, socket, head).catch((error) => {
      log.error({ err: error }, 'upgrade failed');
      socket.destroy();
    });
  });
  server.on('request', (request, response) => {
    onRequest(request, response).catch((error) => {
      log.error({ err: error }, 'agent listener request failed');
      response.destroy();
    });
  });
  const stopPressure = backend.pressure.onChange(() => book.adjustReading());
  const stopRules = watchRules(backend.resources, () => book.dismissUnwelcome());

  return {
    counts,
    get sessions() {
      return book.size;
    },
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          server.on('error', (error) => log.error({ err: error }, 'agent listener failed'));
          resolve(server.address() as AddressInfo);
        });
      }),
    renewCertificate: (tls) => renewCertificate(server, tls),
    async close() {
      closing = true;
      stopPressure();
      stopRules();
      services.rules.stop();
      const stopped = server.listening ? new Promise((done) => server.close(done)) : undefined;
      const allGone = Promise.all([stopped, book.sayBye()]);
      server.closeIdleConnections();
      handshakes.closePending();
      await within(allGone, limits.drainTimeoutMs, () => undefined);
      book.cutOff();
      server.closeAllConnections();
      await allGone;
    },
  };
};

const pathOf = (request: IncomingMessage): string => (request.url ?? '/').split('?', 1)[0] ?? '/';

const whoAsks = (request: IncomingMessage) => ({
  address: request.socket.remoteAddress,
  agent: request.headers['mon-agentname'] ?? request.headers['sensu-agentname'],
});

const binary = { binary: true } as const;

/** `stream`: what the library writes its frames to. Without compression it writes each at once, so ours keep their place. */
const liveSocket = (webSocket: WebSocket, stream: Duplex): LiveSocket => ({
  send: (data, written) => {
    if (typeof data === 'string' || webSocket.readyState !== WebSocket.OPEN)
      webSocket.send(data, binary, written);
    else stream.write(messageFrame(data), written);
  },
  close: (code, reason) => webSocket.close(code, cut(reason)),
  terminate: () => webSocket.terminate(),
  pause: () => webSocket.pause(),
  resume: () => webSocket.resume(),
  ping: () => webSocket.ping(),
  get bufferedBytes() {
    return webSocket.bufferedAmount;
  },
  onMessage: (listener) => void webSocket.on('message', (data) => listener(asBuffer(data))),
  onPong: (listener) => void webSocket.on('pong', listener),
  onError: (listener) => void webSocket.on('error', listener),
  onClose: (listener) => void webSocket.on('close', (code, reason) => listener(code, reason.toString())),
});

/** A close frame holds at most 125 bytes including the two-byte code; a truncated character becomes three bytes. */
const maxReasonBytes = 120;
const cut = (reason: string): string => Buffer.from(reason).subarray(0, maxReasonBytes).toString();
