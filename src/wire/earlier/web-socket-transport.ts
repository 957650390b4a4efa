// The transport to our own backend: pipes over a WebSocket. Unlike with a broker, published messages are confirmed
// once stored.

import { readFileSync } from 'node:fs';
import WebSocket from 'ws';
import type { Pipe } from '../../model/earlier/pipes.ts';
import { describeConnectionError } from '../connection-errors.ts';
import { asBuffer } from '../frames.ts';
import { type Connection, type Keeper, keepConnected } from './keep-connected.ts';
import {
  connectTimeoutMs,
  maxFrameBytes,
  maxUnanswered,
  webSocketPingMs,
  webSocketSilenceMs,
} from './limits.ts';
import { NotConnected, type PipeStats, type Take, type Transport } from './transport.ts';
import { type ClientMessage, type ServerMessage, serverMessageSchema } from './web-socket-messages.ts';

export interface WebSocketTransportOptions {
  /** `ws://` or `wss://`, including the path. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly caFile?: string | undefined;
  readonly stepMs?: number;
  readonly onFault: (error: unknown) => void;
}

interface Waiting {
  readonly done: (answer: ServerMessage) => void;
  readonly failed: (error: Error) => void;
}

type Question = ClientMessage extends infer M ? (M extends ClientMessage ? Omit<M, 'id'> : never) : never;

const refused = (reason: string): Error => new Error(`the backend refused: ${reason}`);

class WebSocketLine implements Connection {
  readonly #socket: WebSocket;
  readonly #onFault: (error: unknown) => void;
  readonly #takers = new Map<string, Take>();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #heardAt = performance.now();
  #pings: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, onFault: (error: unknown) => void) {
    this.#socket = socket;
    this.#onFault = onFault;
    socket.on('message', (data) => this.#hear(asBuffer(data)));
    socket.on('pong', () => {
      this.#heardAt = performance.now();
    });
    this.#pings = setInterval(() => this.#ping(), webSocketPingMs);
  }

  ask(question: Question): Promise<ServerMessage> {
    if (this.#waiting.size >= maxUnanswered || this.#socket.readyState !== WebSocket.OPEN)
      return Promise.reject(new NotConnected());
    this.#lastId += 1;
    const id = this.#lastId;
    const frame = Buffer.from(JSON.stringify({ ...question, id }));
    // The backend would close the connection, now and at every other try.
    if (frame.length > maxFrameBytes)
      return Promise.reject(
        refused(`a message of ${frame.length} bytes is too large, the maximum is ${maxFrameBytes}`),
      );
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#socket.send(frame, { binary: false });
    });
  }

  async subscribe(pipe: Pipe, take: Take): Promise<void> {
    this.#takers.set(pipe.name, take);
    await this.ask({ type: 'subscribe', pipe: pipe.name, kind: pipe.type });
  }

  async unsubscribe(): Promise<void> {
    this.#takers.clear();
    await this.ask({ type: 'unsubscribe' });
  }

  /** Rejects pending requests; no responses will arrive. */
  ended(): void {
    clearInterval(this.#pings);
    for (const { failed } of this.#waiting.values()) failed(new NotConnected());
    this.#waiting.clear();
  }

  close(): Promise<void> {
    this.ended();
    if (this.#socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const cut = setTimeout(() => this.#socket.terminate(), 1_000);
      this.#socket.once('close', () => {
        clearTimeout(cut);
        resolve();
      });
      this.#socket.close(1000, 'bye');
    });
  }

  #ping(): void {
    if (performance.now() - this.#heardAt > webSocketSilenceMs) this.#socket.terminate();
    else this.#socket.ping();
  }

  #hear(bytes: Buffer): void {
    this.#heardAt = performance.now();
    const read = serverMessageSchema.safeParse(parsed(bytes));
    if (!read.success) return this.#onFault(new Error('the backend sent an invalid message'));
    const message = read.data;
    if (message.type === 'message') return this.#hand(message.pipe, message.message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === 'done') waiting?.done(message);
    else waiting?.failed(refused(message.reason));
  }

  #hand(pipe: string, message: string): void {
    Promise.resolve()
      .then(() => this.#takers.get(pipe)?.(Buffer.from(message)))
      .catch(this.#onFault);
  }
}

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

const dial = (options: WebSocketTransportOptions, lost: (reason: string) => void): Promise<WebSocketLine> =>
  new Promise((resolve, reject) => {
    const { url, user, password, caFile, onFault } = options;
    const socket = new WebSocket(url, {
      headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      handshakeTimeout: connectTimeoutMs,
      perMessageDeflate: false,
      maxPayload: maxFrameBytes,
      ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
    });
    let line: WebSocketLine | undefined;
    let reason = '';
    socket.once('open', () => {
      line = new WebSocketLine(socket, onFault);
      resolve(line);
    });
    socket.once('unexpected-response', (request, response) => {
      reason = `handshake failed with status ${response.statusCode}`;
      response.resume();
      request.destroy();
      reject(new Error(reason));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (reason === '') reason = line === undefined ? describeConnectionError(url, error) : error.message;
    });
    socket.once('close', (code, said) => {
      const why = reason || `connection closed with code ${code}${said.length > 0 ? `: ${said}` : ''}`;
      if (line === undefined) return reject(new Error(why));
      line.ended();
      lost(why);
    });
  });

export const createWebSocketTransport = (options: WebSocketTransportOptions): Transport => {
  let keeper: Keeper<WebSocketLine> | undefined;
  const line = (): WebSocketLine => {
    const current = keeper?.current();
    if (current === undefined) throw new NotConnected();
    return current;
  };
  const ask = async (question: Question): Promise<ServerMessage> => line().ask(question);
  const nobodyKnows: PipeStats = { messages: null, consumers: null };
  return {
    name: 'websocket',
    isConnected: () => keeper?.current() !== undefined,
    open: (listener) => {
      keeper = keepConnected({ open: (lost) => dial(options, lost), listener, stepMs: options.stepMs });
    },
    publish: async ({ name, type }, message) =>
      void (await ask({ type: 'publish', pipe: name, kind: type, message })),
    subscribe: async (pipe, _funnel, take) => line().subscribe(pipe, take),
    unsubscribe: async () => keeper?.current()?.unsubscribe(),
    stats: async ({ name }) => {
      if (keeper?.current() === undefined) return nobodyKnows;
      const answer = await ask({ type: 'stats', pipe: name });
      return answer.type === 'done'
        ? { messages: answer.messages ?? 0, consumers: answer.consumers ?? 0 }
        : nobodyKnows;
    },
    close: async () => keeper?.stop(),
  };
};
