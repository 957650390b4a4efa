// The bus: short messages between backends, delivered at most once and in order of sending while a connection lasts. It keeps
// nothing. What must not be lost is sent again by its sender (forward.ts) or read again by its receiver (changed.ts).
// Implementations: nats-bus.ts, and memory-bus.ts for tests and simulation. One contract test runs on both.

export type BusErrorCode =
  /** Nobody subscribes to the subject. */
  | 'nobodyListens'
  /** No reply in time. The request may have been handled. */
  | 'timeout'
  /** There is no connection to the server, or it broke before the reply came: then the request may have been handled. */
  | 'disconnected'
  /** The server forbids this client to use the subject. */
  | 'forbidden'
  /** The message is larger than `maxPayloadBytes`. */
  | 'tooLarge'
  /** Too many requests wait for a reply. */
  | 'busy'
  /** The bus was drained. */
  | 'closed'
  /** The configuration can't work: a wrong URL, unreadable files, refused credentials. Only when it is opened. */
  | 'invalid';

export class BusError extends Error {
  override readonly name = 'BusError';
  readonly code: BusErrorCode;
  constructor(code: BusErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface BusMessage {
  readonly subject: string;
  /** Valid as long as it is referenced; not to be changed. */
  readonly data: Uint8Array;
  /** To a request, once; to anything else it does nothing. Never throws: a reply that can't be sent is counted as dropped. */
  respond(data: Uint8Array): void;
}

/** `drain` waits for the promises of handlers. A handler that throws or rejects is reported, and the next message follows. */
export type BusHandler = (message: BusMessage) => void | Promise<void>;

export interface BusStatus {
  readonly state: 'connected' | 'reconnecting' | 'closed';
  /** The server it is or was last connected to, without credentials. */
  readonly server: string;
  /** Connections that were lost since the start. */
  readonly reconnects: number;
  /** Messages that could not be sent, since there was no connection or a reply was too large. */
  readonly dropped: number;
}

export interface Bus {
  /** Without a connection the message is dropped and counted. Throws a BusError: `tooLarge`, `closed`. */
  publish(subject: string, data: Uint8Array): void;
  /** Resolves with the first reply. Rejects with a BusError. */
  request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** `*` stands for one token of the subject, a last `>` for one or more. It survives reconnects. Returns `unsubscribe`. */
  subscribe(subject: string, handler: BusHandler): () => void;
  /** The largest message the server takes. It may change with a reconnect. */
  readonly maxPayloadBytes: number;
  status(): BusStatus;
  /** Called after each change of the state. Returns the way to stop listening. */
  onState(listener: (state: BusStatus['state']) => void): () => void;
  /**
   * Receives nothing more, waits at most `withinMs` for handlers and for what is being sent, then closes. Requests that still wait
   * are rejected with `closed`. May be called again.
   */
  drain(withinMs: number): Promise<void>;
}

/** What operators are told, in one line each. */
export type BusReport = (level: 'info' | 'warn', message: string) => void;
