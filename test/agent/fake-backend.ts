// A backend for tests: accepts agents, records what they say, says what the test wants.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { asBuffer, decodeFrame, encodeFrame } from '../../src/wire/frames.ts';
import { backendHeaderLines, type ContentType, jsonType } from '../../src/wire/headers.ts';
import { encodeAcks } from '../../src/wire/messages.ts';

interface Received {
  readonly type: string;
  readonly body: CheckEvent;
}

export interface FakeBackend {
  readonly url: string;
  /** Everything every agent has sent, in order. */
  readonly frames: Received[];
  readonly requests: IncomingMessage[];
  readonly closes: { code: number; reason: string }[];
  sockets(): WebSocket[];
  send(type: 'check_request' | 'entity_config' | 'ack', payload: unknown): void;
  sendRaw(bytes: string): void;
  ack(ids: readonly string[]): void;
  refuse(id: string, message: string): void;
  /** Resolves to the frames of a type once there are at least `count`. */
  waitFor(type: string, count: number): Promise<CheckEvent[]>;
  until(condition: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface FakeOptions {
  readonly acknowledges?: boolean;
  /** Acknowledge every event as soon as it comes. */
  readonly ackAtOnce?: boolean;
  /** Sent when an agent arrives; null: nothing. */
  readonly entityConfig?: unknown;
  readonly port?: number;
  /** The encodings it says it reads; it answers in JSON. */
  readonly accepts?: readonly ContentType[];
  /** Answer upgrades with this instead. */
  readonly refuseWith?: () => { status: number; body: string; headers?: string } | null;
}

const notRegistered = {
  metadata: { name: 'not found', namespace: 'default' },
  entity_class: 'agent',
  subscriptions: null,
  deregister: false,
  deregistration: {},
};

export const startBackend = async (options: FakeOptions = {}): Promise<FakeBackend> => {
  const { acknowledges = true, ackAtOnce = true, entityConfig = notRegistered } = options;
  const frames: Received[] = [];
  const requests: IncomingMessage[] = [];
  const closes: { code: number; reason: string }[] = [];
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const http = createServer();
  const server = new WebSocketServer({ noServer: true });
  server.on('headers', (lines) =>
    lines.push(
      ...backendHeaderLines({
        contentType: jsonType,
        backendId: 'b1',
        ack: acknowledges,
        accepts: options.accepts ?? [jsonType],
      }),
    ),
  );
  const receive = (socket: WebSocket, bytes: Buffer) => {
    const frame = decodeFrame(bytes);
    const body = JSON.parse(frame?.payload.toString() ?? 'null') as CheckEvent;
    frames.push({ type: frame?.type ?? '', body });
    if (acknowledges && ackAtOnce && frame?.type === 'event' && body.id !== null)
      for (const ack of encodeAcks([body.id])) socket.send(ack);
    changed();
  };
  http.on('upgrade', (request, socket, head) => {
    requests.push(request);
    changed();
    const refusal = options.refuseWith?.() ?? null;
    if (refusal !== null) {
      const { status, body, headers = '' } = refusal;
      socket.end(`HTTP/1.1 ${status} No\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    server.handleUpgrade(request, socket, head, (open) => {
      open.on('message', (data) => receive(open, asBuffer(data)));
      open.on('close', (code, reason) => {
        closes.push({ code, reason: reason.toString() });
        changed();
      });
      changed();
      if (entityConfig !== null) open.send(encodeFrame('entity_config', JSON.stringify(entityConfig)));
    });
  });
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve));
  const sockets = () => [...server.clients];
  const broadcast = (bytes: Buffer | string) => {
    for (const socket of sockets()) socket.send(bytes);
  };

  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        watchers.delete(look);
        reject(new Error(`nothing came; so far: ${frames.map(({ type }) => type).join(', ')}`));
      }, 60_000);
      const look = () => {
        if (!condition()) return;
        clearTimeout(giveUp);
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const ofType = (type: string) => frames.filter((frame) => frame.type === type).map(({ body }) => body);

  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    frames,
    requests,
    closes,
    sockets,
    send: (type, payload) => broadcast(encodeFrame(type, JSON.stringify(payload))),
    sendRaw: broadcast,
    ack: (ids) => {
      for (const frame of encodeAcks(ids)) broadcast(frame);
    },
    refuse: (id, message) => {
      for (const frame of encodeAcks([], [{ id, message }])) broadcast(frame);
    },
    until,
    waitFor: async (type, count) => {
      await until(() => ofType(type).length >= count);
      return ofType(type);
    },
    stop: async () => {
      for (const socket of sockets()) socket.terminate();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
};
