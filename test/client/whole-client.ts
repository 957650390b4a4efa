// A whole client with a broker in memory and time in our hands, and the ways to look at what it said.
import { afterEach } from 'node:test';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import { fakeTransport } from './fake-transport.ts';
import { eventually, handTimers, rememberingLog } from './helpers.ts';

const running: Client[] = [];
afterEach(async () => {
  for (const client of running.splice(0)) await client.stop();
});

/** Not started yet. */
export const setUp = (client: Json = {}, checks: Json = {}, more: Json = {}) => {
  const broker = fakeTransport();
  const log = rememberingLog();
  const time = handTimers();
  const faults: unknown[] = [];
  const settings: Json = {
    client: {
      name: 'c1',
      address: '10.0.0.9',
      subscriptions: ['web', 'roundrobin:web', 'client:c1'],
      socket: { port: 0 },
      http_socket: { port: 0 },
      ...client,
    },
    checks,
    sensu: { spawn: { limit: 12 } },
    ...more,
  };
  const made = createClient({
    settings,
    version: '1.2.3',
    log,
    timers: time.timers,
    transport: broker.transport,
    onFault: (error) => faults.push(error),
  });
  running.push(made);
  return { client: made, broker, log, faults, ...time };
};

/** Connected, with its subscriptions in place. */
export const start = async (client: Json = {}, checks: Json = {}, more: Json = {}) => {
  const made = setUp(client, checks, more);
  made.client.start();
  made.broker.connect();
  await eventually(() => made.broker.takers.size === 3, 'the subscriptions');
  return made;
};

export const resultOf = async (made: Awaited<ReturnType<typeof start>>, at = 0) =>
  (await eventually(() => made.broker.results()[at], `result ${at}`)) as {
    client: string;
    check: { [key: string]: unknown };
    signature?: string;
  };

/** The check of the first result; empty when there is none. */
export const firstCheck = ({ broker }: ReturnType<typeof setUp>): Json =>
  (broker.results()[0]?.['check'] ?? {}) as Json;
