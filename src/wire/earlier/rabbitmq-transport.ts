// The earlier generation's transport over RabbitMQ. Exchanges, queues, flags and message properties must match
// exactly: the broker rejects other declarations with 406.

import { randomInt } from 'node:crypto';
import { type Channel, type ChannelModel, type ConfirmChannel, type ConsumeMessage, connect } from 'amqplib';
import type { Pipe } from '../../model/earlier/pipes.ts';
import { within } from '../../model/time/within.ts';
import { type Keeper, keepConnected } from './keep-connected.ts';
import { closeTimeoutMs, connectTimeoutMs, maxWaitingRequests } from './limits.ts';
import { type BrokerAddress, brokerAddresses } from './rabbitmq-address.ts';
import {
  keepalivesPipe,
  NotConnected,
  type PipeStats,
  resultsPipe,
  type Take,
  type Transport,
  type TransportListener,
} from './transport.ts';

export interface RabbitmqTransportOptions {
  /** As in the configuration: a map, a URL, or a list of maps for alternative brokers. */
  readonly rabbitmq: unknown;
  /** Overrides the configuration. */
  readonly prefetch?: number;
  readonly stepMs?: number;
  readonly onFault: (error: unknown) => void;
}

const exchangeFlags = { durable: false, autoDelete: false, internal: false } as const;
const queueFlags = { durable: false, autoDelete: true, exclusive: false } as const;
const messageProperties = {
  contentType: 'application/octet-stream',
  persistent: false,
  priority: 0,
} as const;
/** Bindings and messages use an empty routing key. */
const noKey = '';

/**
 * Two connections with one channel each: one consumes messages and sends keepalives, the other sends everything
 * else.
 */
class RabbitmqLine {
  readonly #options: RabbitmqTransportOptions;
  readonly #lost: (reason: string) => void;
  readonly #connections: ChannelModel[] = [];
  readonly #declared = new Set<string>();
  readonly #consumers = new Map<string, string>();
  readonly #funnels = new Set<string>();
  readonly #listener: TransportListener;
  /** Connections that the broker no longer reads, since its memory or disk is short. */
  readonly #blocked = new Set<ChannelModel>();
  #unconfirmedRequests = 0;
  #primary: Channel | undefined;
  #secondary: ConfirmChannel | undefined;
  #returned = false;
  /** Results are sent one at a time, so that a returned message can be matched to its result. */
  #sending: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    options: RabbitmqTransportOptions,
    lost: (reason: string) => void,
    listener: TransportListener,
  ) {
    this.#options = options;
    this.#lost = lost;
    this.#listener = listener;
  }

  async connect(address: BrokerAddress): Promise<this> {
    try {
      this.#primary = await this.#dial(address, (connection) => connection.createChannel());
      const secondary = await this.#dial(address, (connection) => connection.createConfirmChannel());
      secondary.on('return', () => {
        this.#returned = true;
      });
      this.#secondary = secondary;
    } catch (error) {
      await this.close();
      throw error;
    }
    return this;
  }

  async publish(pipe: Pipe, message: string): Promise<void> {
    const channel = pipe.name === keepalivesPipe.name ? this.#primary : this.#secondary;
    if (channel === undefined || this.#closed) throw new NotConnected();
    if (this.#blocked.size > 0) throw new Error('rabbitmq takes no messages for now');
    if (pipe.name !== resultsPipe.name) return this.#publishRequest(channel, pipe, message);
    await this.#declareExchange(channel, pipe);
    const sent = this.#sending.then(() => this.#publishSurely(pipe, message));
    this.#sending = sent.catch(() => {});
    return sent;
  }

  /**
   * Requests and keepalives. What the broker does not read stays in memory here, and is obsolete when it is read: no
   * more than `maxWaitingRequests` may wait.
   */
  async #publishRequest(channel: Channel, pipe: Pipe, message: string): Promise<void> {
    if (this.#unconfirmedRequests >= maxWaitingRequests)
      throw new Error(`rabbitmq has not confirmed the last ${maxWaitingRequests} requests`);
    this.#unconfirmedRequests += 1;
    const confirmed = () => {
      this.#unconfirmedRequests -= 1;
    };
    try {
      await this.#declareExchange(channel, pipe);
    } catch (error) {
      confirmed();
      throw error;
    }
    if (channel !== this.#secondary) {
      channel.publish(pipe.name, noKey, Buffer.from(message), messageProperties);
      confirmed();
    } else this.#secondary.publish(pipe.name, noKey, Buffer.from(message), messageProperties, confirmed);
  }

  /**
   * A broker drops messages that no queue accepts, and there is no queue while no server listens. The reference
   * product loses such results. Here they are published as mandatory, so that the broker returns them; consumers
   * see no difference.
   */
  async #publishSurely({ name }: Pipe, message: string): Promise<void> {
    const channel = this.#secondary;
    if (channel === undefined || this.#closed) throw new NotConnected();
    this.#returned = false;
    await new Promise<void>((resolve, reject) => {
      const properties = { ...messageProperties, mandatory: true };
      channel.publish(name, noKey, Buffer.from(message), properties, (error: unknown) =>
        error === null || error === undefined ? resolve() : reject(new NotConnected()),
      );
    });
    if (this.#returned) throw new Error(`there is currently no consumer for ${name}`);
  }

  async subscribe(pipe: Pipe, funnel: string, take: Take, ack: boolean): Promise<void> {
    const channel = this.#primary;
    if (channel === undefined) throw new NotConnected();
    if (!this.#funnels.has(funnel)) {
      this.#funnels.add(funnel);
      await channel.assertQueue(funnel, queueFlags);
    }
    await this.#declareExchange(channel, pipe);
    await channel.bindQueue(funnel, pipe.name, noKey);
    if (this.#consumers.has(funnel)) return;
    const consumerTag = `${funnel}-${Date.now()}-${randomInt(1_000_000_000)}`;
    this.#consumers.set(funnel, consumerTag);
    await channel.consume(funnel, (message) => this.#hand(channel, message, take, ack), {
      noAck: !ack,
      consumerTag,
    });
  }

  async unsubscribe(): Promise<void> {
    for (const tag of this.#consumers.values()) await this.#primary?.cancel(tag);
    this.#consumers.clear();
    this.#funnels.clear();
  }

  async stats(pipe: Pipe): Promise<PipeStats> {
    const found = await this.#primary?.assertQueue(pipe.name, queueFlags);
    return { messages: found?.messageCount ?? null, consumers: found?.consumerCount ?? null };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#connections.splice(0).map(closeInTime));
  }

  async #dial<C extends Channel>(
    { url, prefetch, tls }: BrokerAddress,
    createChannel: (connection: ChannelModel) => Promise<C>,
  ): Promise<C> {
    const connection = await connect(url as Parameters<typeof connect>[0], {
      ...tls,
      timeout: connectTimeoutMs,
    });
    this.#connections.push(connection);
    let reason = 'rabbitmq connection closed';
    const end = () => {
      if (!this.#closed) this.#lost(reason);
    };
    connection.on('error', (error: Error) => {
      reason = `rabbitmq ${error.message}`;
    });
    connection.on('close', end);
    connection.on('blocked', (why: string) => {
      this.#blocked.add(connection);
      if (this.#blocked.size === 1 && !this.#closed)
        this.#listener.blocked?.(`rabbitmq blocks publishers: ${why}`);
    });
    connection.on('unblocked', () => {
      const wasBlocked = this.#blocked.delete(connection);
      if (wasBlocked && this.#blocked.size === 0 && !this.#closed) this.#listener.unblocked?.();
    });
    const channel = await createChannel(connection);
    channel.on('error', (error: Error) => {
      reason = `rabbitmq channel error: ${error.message}`;
    });
    channel.on('close', end);
    await channel.prefetch(prefetch);
    return channel;
  }

  async #declareExchange(channel: Channel, { name, type }: Pipe): Promise<void> {
    const key = `${channel === this.#primary ? 1 : 2}:${name}`;
    if (this.#declared.has(key)) return;
    this.#declared.add(key);
    await channel.assertExchange(name, type, exchangeFlags);
  }

  #hand(channel: Channel, message: ConsumeMessage | null, take: Take, ack: boolean): void {
    if (message === null) return void this.#lost('rabbitmq cancelled a consumer');
    const done = () => {
      if (ack && !this.#closed) channel.ack(message);
    };
    // Unusable messages are acknowledged too; otherwise they would be redelivered forever.
    Promise.resolve()
      .then(() => take(message.content, { redelivered: message.fields.redelivered }))
      .catch(this.#options.onFault)
      .then(done)
      .catch(this.#options.onFault);
  }
}

/** A broker that is gone never confirms the close. */
const closeInTime = (connection: ChannelModel): Promise<void> =>
  within(
    // Already closed; nothing to do.
    connection.close().catch(() => {}),
    closeTimeoutMs,
    () => {},
  );

const connectToAny = async (
  options: RabbitmqTransportOptions,
  lost: (reason: string) => void,
  listener: TransportListener,
): Promise<RabbitmqLine> => {
  let failure: unknown = new Error('no broker is configured');
  for (const address of brokerAddresses(options.rabbitmq)) {
    try {
      return await new RabbitmqLine(options, lost, listener).connect({
        ...address,
        prefetch: options.prefetch ?? address.prefetch,
      });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

export const createRabbitmqTransport = (options: RabbitmqTransportOptions): Transport => {
  let keeper: Keeper<RabbitmqLine> | undefined;
  const line = (): RabbitmqLine => {
    const current = keeper?.current();
    if (current === undefined) throw new NotConnected();
    return current;
  };
  return {
    name: 'rabbitmq',
    isConnected: () => keeper?.current() !== undefined,
    open: (listener) => {
      keeper = keepConnected({
        open: (lost) => connectToAny(options, lost, listener),
        listener,
        stepMs: options.stepMs,
      });
    },
    publish: async (pipe, message) => line().publish(pipe, message),
    subscribe: async (pipe, funnel, take, { ack = false } = {}) => line().subscribe(pipe, funnel, take, ack),
    unsubscribe: async () => keeper?.current()?.unsubscribe(),
    stats: async (pipe) => keeper?.current()?.stats(pipe) ?? { messages: null, consumers: null },
    close: async () => keeper?.stop(),
  };
};
