// The transport interface of the earlier generation: pipes on a broker. Bodies are plain JSON.
import type { Pipe } from '../../model/earlier/pipes.ts';

export const keepalivesPipe: Pipe = { type: 'direct', name: 'keepalives' };
export const resultsPipe: Pipe = { type: 'direct', name: 'results' };

/** Queued messages and consumers of a pipe; null if unknown. */
export interface PipeStats {
  readonly messages: number | null;
  readonly consumers: number | null;
}

export interface TransportListener {
  /** Connected or reconnected. All previous subscriptions are gone: subscribe again. */
  connected(): void;
  /** Called once per lost connection; the transport reconnects on its own. */
  lost(reason: string): void;
  /** An attempt to connect failed. */
  failed(reason: string): void;
  /** Connected, but the broker takes no messages for now, from anybody: `publish` rejects. */
  blocked?(reason: string): void;
  unblocked?(): void;
}

/** Delivery information of a message. */
export interface Arrival {
  /** The broker delivered it before without an acknowledgement. */
  readonly redelivered: boolean;
}

/** The bytes as they came: a broker may hand over what is no text, or far too much of it. */
export type Take = (message: Buffer, arrival?: Arrival) => void | Promise<void>;

/** One broker connection that reconnects on its own. */
export interface Transport {
  readonly name: 'websocket' | 'redis' | 'rabbitmq';
  isConnected(): boolean;
  /** Starts connecting. */
  open(listener: TransportListener): void;
  /** Rejects if the message could not be sent. Messages are not queued. */
  publish(pipe: Pipe, message: string): Promise<void>;
  /**
   * `funnel` is the queue name on brokers with queues: consumers with the same funnel share a direct pipe, and one
   * consumer with several fanout pipes uses one funnel. With `ack`, a message is acknowledged after `take`
   * resolves.
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
