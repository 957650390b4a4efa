// Dialling: opens one WebSocket to one backend, and makes of it a line that can send, report and close.
// The only place in the agent that knows the WebSocket library.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import WebSocket from 'ws';
import { proxyFor, type Variables } from '../program/proxy-rule.ts';
import { openTunnel } from '../program/tunnel.ts';
import { describeClose, describeConnectionError, describeRefusal } from '../wire/connection-words.ts';
import { asBuffer } from '../wire/frames.ts';
import { type Agreement, agentHeaders, jsonType, readBackendAnswer } from '../wire/headers.ts';
import { maxBufferedChunks, maxFragments, maxPayloadBytes } from '../wire/limits.ts';
import type { AgentConfig } from './flags.ts';
import { maxHandshakeErrorBytes } from './limits.ts';
import { tlsToBackend } from './tls.ts';

/** An open connection to a backend. */
export interface Line {
  readonly agreement: Agreement;
  readonly url: string;
  /** `sent` is told when the bytes were handed to the system, or why they could not be. */
  send(frame: Buffer, sent?: (error?: Error) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  /** Without a goodbye: for a line that is dead already. */
  cut(): void;
}

export interface LineListener {
  opened(line: Line): void;
  message(bytes: Buffer): void;
  pong(): void;
  /** Once, whether or not it ever opened. */
  ended(why: LineEnd): void;
}

export interface LineEnd {
  readonly message: string;
  /** Closed with code 1001: nothing went wrong. */
  readonly clean: boolean;
  /** The HTTP status of a refused handshake. */
  readonly status: number | null;
  readonly retryAfter?: string;
}

export type Dial = (url: string, listener: LineListener) => { cancel(): void };

export const normalClose = 1001;
export const goodbye = 'bye';

const defaultPort = (url: URL): number => Number(url.port) || (url.protocol === 'wss:' ? 443 : 80);

/** Straight to the backend, or through the proxy that the environment names. */
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
  // The library hands this on to Node's HTTP client, which takes a callback; its types know sockets only.
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

/** Reads the beginning of a refusal's body, then reports it. */
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

/** Dials with the agent's credentials and limits. Reports everything to the listener, also what goes wrong at once. */
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
      // Unreadable certificate files, for instance: told later, like every other end.
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
