// Converts the `redis` scope of a configuration to options of the library.
import type { RedisOptions as AllRedisOptions } from 'ioredis';
import { isMap, type Json } from '../../model/earlier/json.ts';
import { brokerTls } from './broker-tls.ts';
import { connectTimeoutMs, sentinelTimeoutMs } from './limits.ts';

/** Without the option whose type depends on the constructor. */
export type RedisOptions = Omit<AllRedisOptions, 'replyMapping'>;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Disables the library's retries: keep-connected reconnects and queries the sentinels again. */
const plain: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: null,
  retryStrategy: () => null,
  sentinelRetryStrategy: () => null,
  disableClientInfo: true,
  connectTimeout: connectTimeoutMs,
  sentinelCommandTimeout: sentinelTimeoutMs,
};

interface Sentinel {
  readonly host: string;
  readonly port: number;
  readonly password?: string | undefined;
}

const sentinelOf = (one: unknown): Sentinel => {
  if (typeof one !== 'string') {
    const map = isMap(one) ? one : {};
    const host = text(map['host']) ?? '127.0.0.1';
    return { host, port: number(map['port'], 26_379), password: text(map['password']) };
  }
  const url = new URL(one.includes('://') ? one : `redis://${one}`);
  return {
    host: url.hostname,
    port: Number(url.port || 26_379),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
  };
};

const sentinelsOf = (given: unknown): readonly Sentinel[] =>
  (typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : []).map(sentinelOf);

/** The library supports one password for all sentinels. */
const throughSentinels = (sentinels: readonly Sentinel[], map: Json): RedisOptions => {
  const sentinelPassword = sentinels.find(({ password }) => password !== undefined)?.password;
  return {
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: text(map['master']) ?? text(map['master_group']) ?? 'mymaster',
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  };
};

/** A database in the URL is ignored, as in the reference product. */
const fromUrl = (given: string): RedisOptions => {
  const url = new URL(given);
  return {
    host: url.hostname || '127.0.0.1',
    port: Number(url.port || 6_379),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === 'rediss:' ? { tls: brokerTls(true) } : {}),
  };
};

const fromMap = (map: Json): RedisOptions => {
  const sentinels = sentinelsOf(map['sentinels']);
  const password = text(map['password']);
  const scope = map['tls'] ?? map['ssl'];
  const isSecure = isMap(scope) || scope === true;
  return {
    ...(sentinels.length > 0
      ? { ...throughSentinels(sentinels, map), enableTLSForSentinelMode: isSecure }
      : { host: text(map['host']) ?? '127.0.0.1', port: number(map['port'], 6_379) }),
    ...(password === undefined ? {} : { password }),
    db: databaseOf(map),
    ...(isSecure ? { tls: brokerTls(scope) } : {}),
  };
};

/** Throws on an invalid URL, and if a file of the TLS scope cannot be read. */
export const redisOptions = (redis: unknown): RedisOptions => ({
  ...plain,
  ...(typeof redis === 'string' ? fromUrl(redis) : fromMap(isMap(redis) ? redis : {})),
});

export const databaseOf = (redis: unknown): number => (isMap(redis) ? number(redis['db'], 0) : 0);
