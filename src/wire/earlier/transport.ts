// What the two ends of the earlier generation speak through: pipes on a broker. Bodies are JSON text without any
// envelope.
import type { Pipe } from '../../model/earlier/pipes.ts';

export const keepalivesPipe: Pipe = { type: 'direct', name: 'keepalives' };
export const resultsPipe: Pipe = { type: 'direct', name: 'results' };

/** Waiting messages and takers of a pipe; null where nobody can say. */
export interface PipeStats {
  readonly messages: number | null;
  readonly consumers: number | null;
}

export interface TransportListener {
  /** Connected, for the first time or again. Every earlier subscription is gone: subscribe anew. */
  connected(): void;
  /** Told once per connection that was up; the transport goes on trying by itself. */
  lost(reason: string): void;
  /** An attempt to connect failed. */
  failed(reason: string): void;
}

/** How a message came. */
export interface Arrival {
  /** The broker delivered it before, and was not told that it was dealt with. */
  readonly redelivered: boolean;
}

export type Take = (message: string, arrival?: Arrival) => void | Promise<void>;

/** One connection to a broker, which it keeps up by itself. */
export interface Transport {
  readonly name: 'websocket' | 'redis' | 'rabbitmq';
  isConnected(): boolean;
  /** Begins to connect. */
  open(listener: TransportListener): void;
  /** Rejects when the message could not be handed over. Nothing is kept for later. */
  publish(pipe: Pipe, message: string): Promise<void>;
  /**
   * `funnel` is the queue messages are gathered in, where a broker has queues: takers with one funnel share a direct pipe,
   * and one taker with several fanout pipes has one funnel. With `ack` a message counts as taken once `take` is done.
   */
  subscribe(pipe: Pipe, funnel: string, take: Take, options?: { readonly ack?: boolean }): Promise<void>;
  unsubscribe(): Promise<void>;
  stats(pipe: Pipe): Promise<PipeStats>;
  close(): Promise<void>;
}

export class NotConnected extends Error {
  override readonly name = 'NotConnected';
  constructor() {
    super('Transport is not connected, triggering reconnect');
  }
}
