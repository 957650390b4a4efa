// Opens one WebSocket to one backend and wraps it for sending, reporting and closing. The only file of the agent
// that uses the WebSocket library.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import WebSocket from 'ws';
import { proxyFor, type Variables } from '../../program/proxy-rule.ts';
import { openTunnel } from '../../program/tunnel.ts';
import { describeClose, describeConnectionError, describeRefusal } from '../../wire/connection-errors.ts';
import { asBuffer } from '../../wire/frames.ts';
import { type Agreement, agentHeaders, jsonType, readBackendAnswer } from '../../wire/headers.ts';
import { maxBufferedChunks, maxFragments, maxPayloadBytes } from '../../wire/limits.ts';
import type { AgentConfig } from '../flags.ts';
import { maxHandshakeErrorBytes } from '../limits.ts';
import { tlsToBackend } from './tls.ts';

/** An open connection to a backend. */
export interface Line {
  readonly agreement: Agreement;
  readonly url: string;
  /** `sent` is called when the bytes were passed to the operating system, or with an error. */
  send(frame: Buffer, sent?: (error?: Error) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  /** Without a close frame, for a dead connection. */
  cut(): void;
}

export interface LineListener {
  opened(line: Line): void;
  message(bytes: Buffer): void;
  pong(): void;
  /** Called once, whether or not the connection was ever open. */
  ended(why: LineEnd): void;
}

export interface LineEnd {
  readonly message: string;
  /** Closed normally, with code 1001. */
  readonly clean: boolean;
  /** The HTTP status of a rejected handshake. */
  readonly status: number | null;
  readonly retryAfter?: string;
}

export type Dial = (url: string, listener: LineListener) => { cancel(): void };

export const normalClose = 1001;
export const goodbye = 'bye';

const defaultPort = (url: URL): number => Number(url.port) || (url.protocol === 'wss:' ? 443 : 80);

/** Direct, or through the proxy configured in the environment. */
const wayTo = (address: string, config: AgentConfig, variables: Variables): WebSocket.ClientOptions => {
  const url = new URL(address);
  const tls = url.protocol === 'wss:' ? tlsToBackend(config) : undefined;
  const proxy = proxyFor(url, variables);
  if (proxy === null) return { ...tls } as unknown as WebSocket.ClientOptions;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const destination = { host, port: defaultPort(url), ...(tls === undefined ? {} : { tls }) };
  const timeoutMs = config.backendHandshakeTimeout * 1000;
  type Done = (error: Error | null, socket?: Duplex) => void;
  const createConnection = (_: unknown, done: Done) =>
    void openTunnel(proxy, destination, timeoutMs).then((socket) => done(null, socket), done);
  // Passed to Node's HTTP client, which accepts a callback; the library's types only allow sockets.
  return { createConnection } as unknown as WebSocket.ClientOptions;
};

const introduction = (config: AgentConfig): Record<string, string> =>
  agentHeaders({
    agentName: config.name,
    namespace: config.namespace,
    subscriptions: config.subscriptions,
    accept: jsonType,
    ...(config.certFile === '' ? { credentials: { user: config.user, password: config.password } } : {}),
  });

const lineOf = (socket: WebSocket, url: string, agreement: Agreement): Line => ({
  agreement,
  url,
  send: (frame, sent) => socket.send(frame, { binary: true }, (error) => sent?.(error ?? undefined)),
  ping: () => socket.ping(),
  close: (code, reason) => socket.close(code, reason),
  cut: () => socket.terminate(),
});

/** Reads the start of an error response body, then reports it. */
const readRefusal = (response: IncomingMessage, done: (body: string) => void): void => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let told = false;
  const finish = () => {
    if (told) return;
    told = true;
    done(Buffer.concat(chunks).toString('utf8').slice(0, maxHandshakeErrorBytes).trim());
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxHandshakeErrorBytes) finish();
  });
  response.once('end', finish);
  response.once('close', finish);
};

/** Connects with the agent's credentials and limits. All errors, including immediate ones, go to the listener. */
export const createDial =
  (config: AgentConfig, variables: Variables = process.env): Dial =>
  (url, listener) => {
    let ended = false;
    let lastError = '';
    const end = (why: LineEnd) => {
      if (ended) return;
      ended = true;
      listener.ended(why);
    };
    let socket: WebSocket;
    try {
      socket = new WebSocket(url, {
        ...wayTo(url, config, variables),
        headers: introduction(config),
        handshakeTimeout: config.backendHandshakeTimeout * 1000,
        perMessageDeflate: false,
        maxPayload: maxPayloadBytes,
        maxFragments,
        maxBufferedChunks,
      } as WebSocket.ClientOptions);
    } catch (error) {
      // E.g. unreadable certificate files: reported asynchronously, like every other error.
      queueMicrotask(() => end({ message: (error as Error).message, clean: false, status: null }));
      return { cancel: () => {} };
    }
    let agreement: Agreement | undefined;
    socket.once('upgrade', (response) => {
      agreement = readBackendAnswer(response.rawHeaders, jsonType);
    });
    socket.once('open', () => {
      if (agreement !== undefined) listener.opened(lineOf(socket, url, agreement));
    });
    socket.on('message', (data) => listener.message(asBuffer(data)));
    socket.on('pong', () => listener.pong());
    socket.on('error', (error) => {
      lastError = agreement === undefined ? describeConnectionError(url, error) : error.message;
    });
    socket.once('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0;
      const retryAfter = response.headers['retry-after'];
      readRefusal(response, (body) => {
        request.destroy();
        const message = describeRefusal(status, body);
        end({ message, clean: false, status, ...(retryAfter === undefined ? {} : { retryAfter }) });
      });
    });
    socket.once('close', (code, reason) => {
      const message = lastError !== '' ? lastError : describeClose(code, reason.toString('utf8'));
      end({ message, clean: code === normalClose, status: null });
    });
    return { cancel: () => socket.terminate() };
  };
