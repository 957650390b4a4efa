// The earlier generation's transport over Redis, with exactly its keys (earlier-client sheet 2.2): lists for direct pipes,
// channels for fanout pipes, a connection of its own for every list that is waited on.
import { type RedisOptions as AllRedisOptions, Redis } from 'ioredis';
import { isMap } from '../../model/earlier/json.ts';
import type { Pipe } from '../../model/earlier/pipes.ts';
import { type Keeper, keepConnected } from './keep-connected.ts';
import { connectTimeoutMs } from './limits.ts';
import { NotConnected, type Take, type Transport } from './transport.ts';

/** Without the one option whose type depends on the constructor. */
type RedisOptions = Omit<AllRedisOptions, 'replyMapping'>;

export interface RedisTransportOptions {
  /** As in the configuration: a map, or a URL. */
  readonly redis: unknown;
  readonly stepMs?: number;
  /** A taker threw: a fault of ours, told and not passed on to the broker. */
  readonly onFault: (error: unknown) => void;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** No magic: what is lost is lost, and our own keeper connects again. */
const plain: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: null,
  retryStrategy: () => null,
  disableClientInfo: true,
  connectTimeout: connectTimeoutMs,
};

const sentinelsOf = (given: unknown): { host: string; port: number }[] => {
  const list = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [];
  return list.map((one: unknown) => {
    if (typeof one !== 'string')
      return {
        host: (isMap(one) && text(one['host'])) || '127.0.0.1',
        port: number(isMap(one) && one['port'], 26_379),
      };
    const url = new URL(one.includes('://') ? one : `redis://${one}`);
    return { host: url.hostname, port: Number(url.port || 26_379) };
  });
};

/** From the configuration to the library's words. A database named in a URL is ignored, as the reference product does. */
export const redisOptions = (redis: unknown): RedisOptions => {
  if (typeof redis === 'string') {
    const url = new URL(redis);
    return {
      ...plain,
      host: url.hostname || '127.0.0.1',
      port: Number(url.port || 6_379),
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
    };
  }
  const map = isMap(redis) ? redis : {};
  const sentinels = sentinelsOf(map['sentinels']);
  const password = text(map['password']);
  const secure = isMap(map['tls']) || isMap(map['ssl']) || map['tls'] === true;
  const verify = [map['tls'], map['ssl']].every((scope) => !isMap(scope) || scope['verify_peer'] === true);
  return {
    ...plain,
    ...(sentinels.length > 0
      ? { sentinels, name: text(map['master']) ?? text(map['master_group']) ?? 'mymaster' }
      : { host: text(map['host']) ?? '127.0.0.1', port: number(map['port'], 6_379) }),
    ...(password === undefined ? {} : { password }),
    db: databaseOf(redis),
    ...(secure ? { tls: { rejectUnauthorized: verify } } : {}),
  };
};

const databaseOf = (redis: unknown): number => (isMap(redis) ? number(redis['db'], 0) : 0);

const keyOf = (database: number, { type, name }: Pipe): string =>
  `transport:${database}:${type === 'direct' ? 'list' : 'channel'}:${name}`;

/** One connected set of connections; the end of any of them is the end of all. */
class RedisLine {
  readonly #options: RedisTransportOptions;
  readonly #clients: Redis[] = [];
  readonly #lost: (reason: string) => void;
  readonly #database: number;
  readonly #takers = new Map<string, Take>();
  #main: Redis | undefined;
  #pubsub: Redis | undefined;
  #closed = false;

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
    this.#pubsub.on('message', (channel, message) => this.#hand(String(channel), String(message)));
    return this;
  }

  async publish(pipe: Pipe, message: string): Promise<void> {
    const key = keyOf(this.#database, pipe);
    if (this.#main === undefined || this.#closed) throw new NotConnected();
    if (pipe.type === 'direct') await this.#main.rpush(key, message);
    else await this.#main.publish(key, message);
  }

  async subscribe(pipe: Pipe, take: Take): Promise<void> {
    const key = keyOf(this.#database, pipe);
    this.#takers.set(key, take);
    if (pipe.type === 'fanout') return void (await this.#pubsub?.subscribe(key));
    const client = await this.#dial();
    void this.#takeFrom(client, key);
  }

  async unsubscribe(): Promise<void> {
    for (const client of this.#clients.splice(2)) client.disconnect();
    this.#takers.clear();
    await this.#pubsub?.unsubscribe();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const client of this.#clients) client.disconnect();
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

  /** Waits for messages one after the other, until its connection ends. */
  async #takeFrom(client: Redis, key: string): Promise<void> {
    try {
      while (this.#clients.includes(client) && !this.#closed) {
        const taken = await client.blpop(key, 0);
        if (taken !== null) this.#hand(key, taken[1]);
      }
    } catch (error) {
      if (!this.#closed && this.#clients.includes(client)) this.#lost(`redis ${(error as Error).message}`);
    }
  }

  #hand(key: string, message: string): void {
    const take = this.#takers.get(key);
    if (take === undefined) return;
    try {
      Promise.resolve(take(message)).catch(this.#options.onFault);
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}

/** Acknowledgements and funnels mean nothing to Redis; who waits longest gets the next message of a list. */
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
    subscribe: async (pipe, _funnel, take) => line().subscribe(pipe, take),
    unsubscribe: async () => keeper?.current()?.unsubscribe(),
    // The reference product asks for the length of a list that does not exist; whoever reads these expects zeros.
    stats: async () =>
      keeper?.current() === undefined ? { messages: null, consumers: null } : { messages: 0, consumers: 0 },
    close: async () => keeper?.stop(),
  };
};
