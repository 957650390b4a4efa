// Converts the `rabbitmq` scope of a configuration to connection options of the library.
import { isMap } from '../../model/earlier/json.ts';
import { type BrokerTls, brokerTls } from './broker-tls.ts';

const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

export interface BrokerAddress {
  readonly url: string | Readonly<Record<string, string | number>>;
  readonly prefetch: number;
  /** Absent for connections without TLS. */
  readonly tls?: BrokerTls;
}

const fromUrl = (url: string): BrokerAddress => ({
  url,
  prefetch: 1,
  ...(new URL(url).protocol === 'amqps:' ? { tls: brokerTls(true) } : {}),
});

const addressOf = (one: unknown): BrokerAddress => {
  if (typeof one === 'string') return fromUrl(one);
  const map = isMap(one) ? one : {};
  const heartbeat = number(map['heartbeat'], 0);
  const isSecure = isMap(map['ssl']) || map['ssl'] === true;
  return {
    url: {
      protocol: isSecure ? 'amqps' : 'amqp',
      hostname: text(map['host'], '127.0.0.1'),
      port: number(map['port'], isSecure ? 5_671 : 5_672),
      username: text(map['user'], 'guest'),
      password: text(map['password'], 'guest'),
      vhost: text(map['vhost'], '/'),
      frameMax: 131_072,
      // 0 means the broker's default; the library would disable heartbeats.
      ...(heartbeat === 0 ? {} : { heartbeat }),
    },
    prefetch: number(map['prefetch'], 1),
    ...(isSecure ? { tls: brokerTls(map['ssl']) } : {}),
  };
};

/**
 * The brokers of a configuration, in the order they are tried. Throws on an invalid URL, and if a file of a TLS
 * scope cannot be read.
 */
export const brokerAddresses = (rabbitmq: unknown): readonly BrokerAddress[] => {
  if (!Array.isArray(rabbitmq)) return [addressOf(rabbitmq)];
  return rabbitmq
    .map((one) => ({ one, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ one }) => addressOf(one));
};
