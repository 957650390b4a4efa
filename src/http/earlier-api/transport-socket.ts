// The WebSocket of earlier clients: pipes in both directions. Published messages are acknowledged after the commit;
// invalid ones are refused without closing the connection.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clients } from '../../actors/families/client/clients.ts';
import { ResultIds } from '../../actors/families/client/result-ids.ts';
import { outcomeOfError, outcomeRules, outcomeText } from '../../actors/outcomes/outcome-rules.ts';
import { asError } from '../../actors/runtime/inspection/facts.ts';
import { MonError } from '../../model/errors.ts';
import { parseGuarded } from '../../model/schema/guarded-json.ts';
import { defaultMaxMessageBytes, maxFrameBytes } from '../../wire/earlier/limits.ts';
import { keepalivesPipe, resultsPipe } from '../../wire/earlier/transport.ts';
import {
  type ClientMessage,
  clientMessageSchema,
  type ServerMessage,
} from '../../wire/earlier/web-socket-messages.ts';
import { asBuffer } from '../../wire/frames.ts';
import type { Log } from '../log.ts';
import type { Hub, Member } from './hub.ts';
import {
  closeGraceMs,
  maxBufferedBytes,
  maxInHand,
  maxInHandBytes,
  maxSubscriptions,
  pingIntervalMs,
} from './limits.ts';

export interface TransportSocketOptions {
  readonly hub: Hub;
  readonly clients: Pick<Clients, 'keepalive' | 'result'>;
  readonly log: Log;
  /** Maximum size of a keepalive or result. */
  readonly maxMessageBytes?: number | undefined;
  /** Total size of unacknowledged messages per client; default: see `limits.ts`. */
  readonly maxInHandBytes?: number | undefined;
}

export interface TransportSocket {
  /** `mayStay`: whether the user of this connection still has access. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, mayStay: () => boolean): void;
  /** Call when users or rules change: closes connections whose user lost access. */
  review(): void;
  close(): Promise<void>;
  readonly connections: number;
}

const tryAgainLater = 1013;
const policyViolation = 1008;
const goingAway = 1001;

type Published = Extract<ClientMessage, { readonly type: 'publish' }>;

/** One connected client, from upgrade to close. */
class Conversation implements Member {
  readonly #socket: WebSocket;
  readonly #options: TransportSocketOptions;
  #inHand = 0;
  #inHandBytes = 0;
  #subscriptions = 0;
  #answered = true;
  #isOver = false;
  readonly #mayStay: () => boolean;
  readonly #inHandLimit: number;
  readonly #ids: ResultIds;

  constructor(socket: WebSocket, options: TransportSocketOptions, ids: ResultIds, mayStay: () => boolean) {
    this.#socket = socket;
    this.#options = options;
    this.#ids = ids;
    this.#mayStay = mayStay;
    this.#inHandLimit = options.maxInHandBytes ?? maxInHandBytes;
    socket.on('message', (data) => this.#hear(asBuffer(data)));
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('error', (error) => options.log.debug({ err: error }, 'client connection failed'));
    socket.on('close', () => options.hub.leave(this));
  }

  send(message: ServerMessage): void {
    if (this.#socket.bufferedAmount > maxBufferedBytes)
      return this.#socket.close(tryAgainLater, 'the client does not read its messages');
    this.#socket.send(JSON.stringify(message));
  }

  /** A client that did not answer the last ping is disconnected. */
  look(): void {
    // While we do not read, missing pongs are our fault.
    if (this.#socket.isPaused) return;
    if (!this.#answered) return this.#socket.terminate();
    this.#answered = false;
    this.#socket.ping();
  }

  bye(): void {
    this.#socket.resume();
    this.#socket.close(goingAway, 'bye');
  }

  /**
   * A user that was disabled or lost its permission is ignored from now on, whether or not the client completes the
   * close handshake.
   */
  review(): void {
    if (this.#isOver || this.#mayStay()) return;
    this.#isOver = true;
    // A paused socket would never read the close frame of the client.
    this.#socket.resume();
    this.#options.hub.leave(this);
    this.#options.log.warn({}, 'client disconnected: its user is no longer allowed to report');
    this.#socket.close(policyViolation, 'the user is no longer allowed to report');
  }

  cut(): void {
    this.#socket.terminate();
  }

  #hear(bytes: Buffer): void {
    if (this.#isOver) return;
    const parsed = parseGuarded(bytes, { maxBytes: maxFrameBytes });
    const read = clientMessageSchema.safeParse(parsed.ok ? parsed.value : undefined);
    if (!read.success) return this.#socket.close(policyViolation, 'invalid message');
    if (this.#inHand >= maxInHand)
      return this.#socket.close(policyViolation, 'too many unacknowledged messages');
    this.#inHand += 1;
    this.#inHandBytes += bytes.length;
    // Backpressure: stop reading until the actors have processed the received messages.
    if (this.#inHandBytes >= this.#inHandLimit) this.#socket.pause();
    this.#handle(read.data)
      .then((answer) => this.send(answer))
      .catch((error) => this.#refuse(read.data, error))
      .finally(() => {
        this.#inHand -= 1;
        this.#inHandBytes -= bytes.length;
        if (this.#socket.isPaused && this.#inHandBytes < this.#inHandLimit / 2) this.#socket.resume();
      });
  }

  #refuse({ id }: ClientMessage, error: unknown): void {
    const { log } = this.#options;
    const outcome = outcomeOfError(asError(error));
    if (outcomeRules[outcome.type].earlierSocket === 'refused') {
      const reason = outcomeText(outcome);
      log[outcome.type === 'invalid' ? 'warn' : 'error']({ reason }, 'client message refused');
      return this.send({ type: 'refused', id, reason });
    }
    // The client keeps its messages and resends them after reconnecting.
    log.error({ err: error }, 'unable to process a client message');
    this.#socket.close(tryAgainLater, 'temporarily unavailable');
  }

  async #handle(message: ClientMessage): Promise<ServerMessage> {
    const { hub } = this.#options;
    const { id } = message;
    switch (message.type) {
      case 'publish':
        await this.#take(message);
        return { type: 'done', id };
      case 'subscribe': {
        if (this.#subscriptions >= maxSubscriptions)
          throw new MonError('invalid', `a client may have at most ${maxSubscriptions} subscriptions`);
        // Clients cannot subscribe to the backend's pipes.
        if (message.pipe === keepalivesPipe.name || message.pipe === resultsPipe.name)
          throw new MonError('invalid', `the pipe ${message.pipe} belongs to the backend`);
        this.#subscriptions += 1;
        hub.subscribe({ type: message.kind, name: message.pipe }, this);
        return { type: 'done', id };
      }
      case 'unsubscribe':
        hub.leave(this);
        this.#subscriptions = 0;
        return { type: 'done', id };
      case 'stats':
        return {
          type: 'done',
          id,
          messages: 0,
          consumers: isOurs(message.pipe) ? 1 : hub.takers(message.pipe),
        };
    }
  }

  #take({ pipe, message }: Published): Promise<void> {
    const { clients, hub, maxMessageBytes = defaultMaxMessageBytes } = this.#options;
    const parsed = parseGuarded(Buffer.from(message), { maxBytes: maxMessageBytes });
    if (!parsed.ok) throw new MonError('invalid', parsed.message);
    if (pipe === keepalivesPipe.name) return clients.keepalive(parsed.value, hub.name);
    if (pipe === resultsPipe.name) return this.#takeResult(message, parsed.value);
    throw new MonError('invalid', `clients publish keepalives and results, not ${pipe}`);
  }

  /** The client offers again what it got no answer to: what was committed after all then counts once. */
  #takeResult(text: string, message: unknown): Promise<void> {
    const id = this.#ids.of(text, message, false);
    return this.#options.clients.result(message, id).catch((error) => {
      this.#ids.forget(id);
      throw error;
    });
  }
}

const isOurs = (pipe: string): boolean => pipe === keepalivesPipe.name || pipe === resultsPipe.name;

export const createTransportSocket = (options: TransportSocketOptions): TransportSocket => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
  });
  const open = new Set<Conversation>();
  const ids = new ResultIds(randomUUID);
  const pings = setInterval(() => {
    for (const conversation of open) conversation.look();
  }, pingIntervalMs);
  return {
    get connections() {
      return open.size;
    },
    accept: (request, socket, head, mayStay) =>
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const conversation = new Conversation(webSocket, options, ids, mayStay);
        open.add(conversation);
        conversation.review();
        webSocket.once('close', () => open.delete(conversation));
      }),
    review: () => {
      for (const conversation of open) conversation.review();
    },
    close: async () => {
      clearInterval(pings);
      for (const conversation of open) conversation.bye();
      const end = performance.now() + closeGraceMs;
      while (open.size > 0 && performance.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 10));
      for (const conversation of open) conversation.cut();
    },
  };
};
