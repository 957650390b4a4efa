// The earlier generation's transport over Redis, with exactly its keys: lists for direct pipes, channels for fanout
// pipes, a connection of its own for every list that is waited on.
import { Redis } from 'ioredis';
import type { Pipe } from '../../model/earlier/pipes.ts';
import { type Keeper, keepConnected } from './keep-connected.ts';
import { maxMessagesInHand, maxWaitingRequests, redisPingMs } from './limits.ts';
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
  /** As in the configuration: a map, or a URL. */
  readonly redis: unknown;
  readonly stepMs?: number;
  /** How often it is asked whether it is there, and how long it has for the answer. */
  readonly pingMs?: number;
  /** A taker threw: a fault of ours, told and not passed on to the broker. */
  readonly onFault: (error: unknown) => void;
}

const keyOf = (database: number, { type, name }: Pipe): string =>
  `transport:${database}:${type === 'direct' ? 'list' : 'channel'}:${name}`;

/**
 * Where messages of a list are while they are dealt with. Others do not look there, so they find the list as ever; what a
 * crash leaves there is dealt with at the next start.
 */
export const inHandKeyOf = (key: string): string => `mon:${key}:in-hand`;

/** Keepalives and results wait for the backend: none of them may get lost. */
const isOurs = ({ name }: Pipe): boolean => name === keepalivesPipe.name || name === resultsPipe.name;

/** One connected set of connections; the end of any of them is the end of all. */
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
  /** Below 6.2, where a message cannot be moved and waited for in one step. */
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
      'message',
      (channel, message) => void this.#hand(String(channel), String(message), false, { redelivered: false }),
    );
    return this;
  }

  async publish(pipe: Pipe, message: string): Promise<void> {
    const key = keyOf(this.#database, pipe);
    if (this.#main === undefined || this.#closed) throw new NotConnected();
    if (pipe.type === 'fanout') return void (await this.#main.publish(key, message));
    const waiting = await this.#main.rpush(key, message);
    // A list lives on without takers. Requests that wait this long ask for runs that are long over.
    if (waiting > maxWaitingRequests && !isOurs(pipe)) await this.#main.ltrim(key, -maxWaitingRequests, -1);
  }

  async subscribe(pipe: Pipe, take: Take, ack: boolean): Promise<void> {
    const key = keyOf(this.#database, pipe);
    this.#takers.set(key, take);
    if (pipe.type === 'fanout') return void (await this.#pubsub?.subscribe(key));
    const client = await this.#dial();
    const left = ack ? await this.#main?.lrange(inHandKeyOf(key), 0, -1) : [];
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

  /** A server that is there and does not answer is as good as gone. */
  #look(): void {
    const late = setTimeout(() => {
      clearInterval(this.#pings);
      if (!this.#closed) this.#lost('redis does not answer');
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
      await client.connect();
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

  /** First what was left in hand, then messages one after the other, until its connection ends. */
  async #takeFrom(client: Redis, key: string, ack: boolean, left: readonly string[]): Promise<void> {
    const inHand = new Set<Promise<void>>();
    const hand = async (message: string, arrival: Arrival): Promise<void> => {
      const done = this.#hand(key, message, ack, arrival).finally(() => inHand.delete(done));
      inHand.add(done);
      // What waits in Redis is safer there than with us.
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

  async #next(client: Redis, key: string, ack: boolean): Promise<string | null> {
    if (!ack || this.#isOld) return (await client.blpop(key, 0))?.[1] ?? null;
    try {
      return await client.blmove(key, inHandKeyOf(key), 'LEFT', 'RIGHT', 0);
    } catch (error) {
      if (!/unknown command/i.test((error as Error).message)) throw error;
      this.#isOld = true;
      this.#options.onFault(
        new Error('redis is older than 6.2: results in hand are lost if the backend crashes'),
      );
      return null;
    }
  }

  /** Settles once the taker is done with it, and never rejects. */
  async #hand(key: string, message: string, ack: boolean, arrival: Arrival): Promise<void> {
    try {
      await this.#takers.get(key)?.(message, arrival);
    } catch (error) {
      this.#options.onFault(error);
    }
    if (ack && !this.#isOld && !this.#closed) await this.#acknowledge(key, message);
  }

  async #acknowledge(key: string, message: string): Promise<void> {
    try {
      await this.#main?.lrem(inHandKeyOf(key), 1, message);
    } catch (error) {
      // It stays in hand, and comes again once we are connected.
      if (!this.#closed) this.#lost(`redis ${(error as Error).message}`);
    }
  }
}

/** Funnels mean nothing to Redis; who waits longest gets the next message of a list. */
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
    // The reference product asks for the length of a list that does not exist; whoever reads these expects zeros.
    stats: async () =>
      keeper?.current() === undefined ? { messages: null, consumers: null } : { messages: 0, consumers: 0 },
    close: async () => keeper?.stop(),
  };
};
