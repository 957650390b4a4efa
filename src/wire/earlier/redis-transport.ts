// The earlier generation's transport over Redis, with the same keys: lists for direct pipes, channels for fanout
// pipes, and one connection per list for blocking reads.
import { Redis } from 'ioredis';
import type { Pipe } from '../../model/earlier/pipes.ts';
import { within } from '../../model/time/within.ts';
import { type Keeper, keepConnected } from './keep-connected.ts';
import { connectTimeoutMs, maxMessagesInHand, maxWaitingRequests, redisPingMs } from './limits.ts';
import { databaseOf, redisOptions } from './redis-options.ts';
import {
  type Arrival,
  keepalivesPipe,
  NotConnected,
  resultsPipe,
  type Take,
  type Transport,
} from './transport.ts';

export interface RedisTransportOptions {
  /** As in the configuration: a map or a URL. */
  readonly redis: unknown;
  readonly stepMs?: number;
  /** Ping interval and response timeout, also of a new connection. */
  readonly pingMs?: number;
  /** A consumer threw. This is a bug of ours, so it is reported and not passed to the broker. */
  readonly onFault: (error: unknown) => void;
}

const keyOf = (database: number, { type, name }: Pipe): string =>
  `transport:${database}:${type === 'direct' ? 'list' : 'channel'}:${name}`;

/**
 * The key where messages are kept while they are processed. Other programs do not read it. Messages left by a crash
 * are processed at the next start.
 */
export const inHandKeyOf = (key: string): string => `mon:${key}:in-hand`;

/** Keepalives and results are for the backend and must not be lost. */
const isOurs = ({ name }: Pipe): boolean => name === keepalivesPipe.name || name === resultsPipe.name;

/** The library limits the time until a connection is open, but not until the server behind it answers. */
const answered = (connecting: Promise<void>, ms: number): Promise<void> =>
  within(connecting, ms, () => {
    throw new Error('redis does not respond');
  });

/** A set of open connections; if one ends, all are closed. */
class RedisLine {
  readonly #options: RedisTransportOptions;
  readonly #clients: Redis[] = [];
  readonly #lost: (reason: string) => void;
  readonly #database: number;
  readonly #takers = new Map<string, Take>();
  #main: Redis | undefined;
  #pubsub: Redis | undefined;
  #pings: NodeJS.Timeout | undefined;
  #closed = false;
  /** Older than 6.2, where moving a message and waiting for it is not one atomic command. */
  #isOld = false;

  constructor(options: RedisTransportOptions, lost: (reason: string) => void) {
    this.#options = options;
    this.#lost = lost;
    this.#database = databaseOf(options.redis);
  }

  async connect(): Promise<this> {
    try {
      this.#main = await this.#dial();
      this.#pubsub = await this.#dial();
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#pings = setInterval(() => this.#look(), this.#options.pingMs ?? redisPingMs);
    this.#pubsub.on(
      'messageBuffer',
      (channel: Buffer, message: Buffer) =>
        void this.#hand(String(channel), message, false, { redelivered: false }),
    );
    return this;
  }

  async publish(pipe: Pipe, message: string): Promise<void> {
    const key = keyOf(this.#database, pipe);
    if (this.#main === undefined || this.#closed) throw new NotConnected();
    if (pipe.type === 'fanout') return void (await this.#main.publish(key, message));
    const waiting = await this.#main.rpush(key, message);
    // Lists persist without consumers. Requests that are queued this long are obsolete.
    if (waiting > maxWaitingRequests && !isOurs(pipe)) await this.#main.ltrim(key, -maxWaitingRequests, -1);
  }

  async subscribe(pipe: Pipe, take: Take, ack: boolean): Promise<void> {
    try {
      await this.#consume(pipe, take, ack);
    } catch (error) {
      // A server that just crashed may show it here first. Without its subscriptions the line is of no use: a new one is opened.
      if (!this.#closed) this.#lost(`redis ${(error as Error).message}`);
      throw error;
    }
  }

  async #consume(pipe: Pipe, take: Take, ack: boolean): Promise<void> {
    const key = keyOf(this.#database, pipe);
    this.#takers.set(key, take);
    if (pipe.type === 'fanout') return void (await this.#pubsub?.subscribe(key));
    const client = await this.#dial();
    const left = ack ? await this.#main?.lrangeBuffer(inHandKeyOf(key), 0, -1) : [];
    void this.#takeFrom(client, key, ack, left ?? []);
  }

  async unsubscribe(): Promise<void> {
    for (const client of this.#clients.splice(2)) client.disconnect();
    this.#takers.clear();
    await this.#pubsub?.unsubscribe();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#pings);
    for (const client of this.#clients) client.disconnect();
  }

  /** A server that does not respond counts as lost. */
  #look(): void {
    const late = setTimeout(() => {
      clearInterval(this.#pings);
      if (!this.#closed) this.#lost('redis does not respond');
    }, this.#options.pingMs ?? redisPingMs);
    this.#main
      ?.ping()
      .catch((error: Error) => {
        if (!this.#closed) this.#lost(`redis ${error.message}`);
      })
      .finally(() => clearTimeout(late));
  }

  async #dial(): Promise<Redis> {
    const client = new Redis({ ...redisOptions(this.#options.redis), protocol: 2 });
    let reason = 'connection closed';
    client.on('error', (error) => {
      reason = error.message || reason;
    });
    try {
      await answered(client.connect(), this.#options.pingMs ?? connectTimeoutMs);
    } catch (error) {
      client.disconnect();
      throw reason === 'connection closed' ? error : new Error(reason);
    }
    this.#clients.push(client);
    client.on('end', () => {
      if (!this.#closed && this.#clients.includes(client)) this.#lost(`redis ${reason}`);
    });
    return client;
  }

  /** Processes leftover messages first, then new ones in order, until the connection ends. */
  async #takeFrom(client: Redis, key: string, ack: boolean, left: readonly Buffer[]): Promise<void> {
    const inHand = new Set<Promise<void>>();
    const hand = async (message: Buffer, arrival: Arrival): Promise<void> => {
      const done = this.#hand(key, message, ack, arrival).finally(() => inHand.delete(done));
      inHand.add(done);
      // Backpressure: unread messages are safe in Redis.
      if (inHand.size >= maxMessagesInHand) await Promise.race(inHand);
    };
    try {
      for (const message of left) await hand(message, { redelivered: true });
      while (this.#clients.includes(client) && !this.#closed) {
        const message = await this.#next(client, key, ack);
        if (message !== null) await hand(message, { redelivered: false });
      }
    } catch (error) {
      if (!this.#closed && this.#clients.includes(client)) this.#lost(`redis ${(error as Error).message}`);
    }
  }

  async #next(client: Redis, key: string, ack: boolean): Promise<Buffer | null> {
    if (!ack || this.#isOld) return (await client.blpopBuffer(key, 0))?.[1] ?? null;
    try {
      return await client.blmoveBuffer(key, inHandKeyOf(key), 'LEFT', 'RIGHT', 0);
    } catch (error) {
      if (!/unknown command/i.test((error as Error).message)) throw error;
      this.#isOld = true;
      this.#options.onFault(
        new Error('redis is older than 6.2: results being processed are lost if the backend crashes'),
      );
      return null;
    }
  }

  /** Resolves when the consumer is done; never rejects. */
  async #hand(key: string, message: Buffer, ack: boolean, arrival: Arrival): Promise<void> {
    try {
      await this.#takers.get(key)?.(message, arrival);
    } catch (error) {
      this.#options.onFault(error);
    }
    if (ack && !this.#isOld && !this.#closed) await this.#acknowledge(key, message);
  }

  /** Compares bytes: a text that was decoded and encoded again need not be the one in the list. */
  async #acknowledge(key: string, message: Buffer): Promise<void> {
    try {
      await this.#main?.lrem(inHandKeyOf(key), 1, message);
    } catch (error) {
      // The message stays in the processing list and is handled after reconnecting.
      if (!this.#closed) this.#lost(`redis ${(error as Error).message}`);
    }
  }
}

/** Redis has no funnels; the consumer that has waited longest gets the next message of a list. */
export const createRedisTransport = (options: RedisTransportOptions): Transport => {
  let keeper: Keeper<RedisLine> | undefined;
  const line = (): RedisLine => {
    const current = keeper?.current();
    if (current === undefined) throw new NotConnected();
    return current;
  };
  return {
    name: 'redis',
    isConnected: () => keeper?.current() !== undefined,
    open: (listener) => {
      keeper = keepConnected({
        open: (lost) => new RedisLine(options, lost).connect(),
        listener,
        stepMs: options.stepMs,
      });
    },
    publish: async (pipe, message) => line().publish(pipe, message),
    subscribe: async (pipe, _funnel, take, { ack = false } = {}) => line().subscribe(pipe, take, ack),
    unsubscribe: async () => keeper?.current()?.unsubscribe(),
    // The reference product queries the length of a missing list, which gives zeros.
    stats: async () =>
      keeper?.current() === undefined ? { messages: null, consumers: null } : { messages: 0, consumers: 0 },
    close: async () => keeper?.stop(),
  };
};
