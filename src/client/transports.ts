// Selects the transport of a configuration. A configuration without a transport name uses RabbitMQ, the reference
// product's default, if it has a RabbitMQ address; otherwise our own WebSocket.

import { isMap, type Json } from '../model/earlier/json.ts';
import { brokerAddresses } from '../wire/earlier/rabbitmq-address.ts';
import { createRabbitmqTransport } from '../wire/earlier/rabbitmq-transport.ts';
import { redisOptions } from '../wire/earlier/redis-options.ts';
import { createRedisTransport } from '../wire/earlier/redis-transport.ts';
import type { Transport } from '../wire/earlier/transport.ts';
import { transportPath } from '../wire/earlier/web-socket-messages.ts';
import { createWebSocketTransport } from '../wire/earlier/web-socket-transport.ts';

export type TransportChoice =
  | { readonly ok: true; readonly transport: Transport }
  | { readonly ok: false; readonly problem: string };

const defaultUrl = 'ws://127.0.0.1:4567';

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const webSocketTransport = (settings: Json, onFault: (error: unknown) => void): TransportChoice => {
  const scope = isMap(settings['websocket']) ? settings['websocket'] : {};
  const given = text(scope['url'], defaultUrl);
  if (!URL.canParse(given)) return { ok: false, problem: `websocket url is not a valid URL: ${given}` };
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = transportPath;
  const caFile = text(scope['ca_file'], '');
  return {
    ok: true,
    transport: createWebSocketTransport({
      url: url.href,
      user: text(scope['user'], 'agent'),
      password: text(scope['password'], 'P@ssw0rd!'),
      ...(caFile === '' ? {} : { caFile }),
      onFault,
    }),
  };
};

/** Detects configurations that can never connect, before retrying forever. */
const problemOf = (scope: string, read: () => unknown): TransportChoice | undefined => {
  try {
    read();
    return undefined;
  } catch (error) {
    return { ok: false, problem: `${scope} cannot be used: ${(error as Error).message}` };
  }
};

export const chooseTransport = (settings: Json, onFault: (error: unknown) => void): TransportChoice => {
  const scope = isMap(settings['transport']) ? settings['transport'] : {};
  const { redis, rabbitmq, websocket } = settings;
  const unsaid = rabbitmq !== undefined && websocket === undefined ? 'rabbitmq' : 'websocket';
  const name = text(scope['name'], unsaid);
  if (name === 'websocket') return webSocketTransport(settings, onFault);
  if (name === 'redis') {
    const problem = problemOf('redis', () => redisOptions(redis));
    return problem ?? { ok: true, transport: createRedisTransport({ redis, onFault }) };
  }
  if (name === 'rabbitmq') {
    const problem = problemOf('rabbitmq', () => brokerAddresses(rabbitmq));
    return problem ?? { ok: true, transport: createRabbitmqTransport({ rabbitmq, onFault }) };
  }
  return {
    ok: false,
    problem: `transport name must be websocket, redis or rabbitmq (got ${JSON.stringify(name)})`,
  };
};
