// What serves the earlier generation, put together from settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import type { Backend } from '../../src/actors/backend.ts';
import type { Outlet } from '../../src/actors/families/client/client-requests.ts';
import type { Authenticator } from '../../src/http/auth/authenticator.ts';
import { serveEarlierGeneration } from '../../src/main/earlier-generation.ts';
import { createLog, type Logger } from '../../src/program/log.ts';
import { eventually } from '../eventually.ts';
import { redisSkipReason, startRedis } from '../wire/earlier/brokers.ts';

const serving = async (
  earlierBrokers: string[],
  more: { readonly size?: number; readonly log?: Logger } = {},
) => {
  const outlets = new Map<string, Outlet>();
  const clients = { attach: (outlet: Outlet) => void outlets.set(outlet.name, outlet), heardAgain: () => {} };
  const earlier = await serveEarlierGeneration({
    settings: {
      earlierApiHost: '127.0.0.1',
      earlierApiPort: 0,
      earlierMaxMessageSize: more.size ?? 1_048_576,
      earlierBrokers,
      earlierBrokersCaFile: '',
      earlierBrokersCertFile: '',
      earlierBrokersKeyFile: '',
    },
    backend: { clients } as unknown as Backend,
    authenticator: {} as Authenticator,
    tls: undefined,
    silencing: { defaultExpireSeconds: 0, maxExpireSeconds: 0 },
    metrics: { gauge: () => {} },
    log: more.log ?? createLog('panic'),
  });
  return { earlier, outlets };
};

const serve = async (...earlierBrokers: string[]) => {
  const { earlier, outlets } = await serving(earlierBrokers);
  await earlier.close();
  return [...outlets.values()].map(({ name, kind }) => [name, kind]);
};

test('one flag may name several brokers, as its help says', async () => {
  const brokers = await serve('redis://127.0.0.1:1 amqp://user:password@127.0.0.1:2/vhost');
  assert.deepEqual(brokers, [
    ['redis', 'redis'],
    ['rabbitmq', 'rabbitmq'],
  ]);
});

test('two brokers of one kind are two outlets', async () => {
  assert.deepEqual(await serve('redis://127.0.0.1:1', 'redis://127.0.0.1:2'), [
    ['redis', 'redis'],
    ['redis-2', 'redis'],
  ]);
});

test('a message larger than --earlier-max-message-size is refused, and the log names the flag', {
  skip: redisSkipReason(),
}, async (t) => {
  const broker = await startRedis();
  t.after(() => broker.stop());
  const told: { readonly fields: object; readonly text: string }[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    error: (fields: object, text: string) => void told.push({ fields, text }),
    child: () => log,
  } as unknown as Logger;
  const { earlier } = await serving([broker.url], { size: 2_000, log });
  t.after(() => earlier.close());
  const client = new Redis(broker.url);
  t.after(() => client.disconnect());
  await client.rpush('transport:0:list:keepalives', 'x'.repeat(2_000), 'x'.repeat(2_001));
  await eventually('both', () => told.length === 2);
  assert.match(told[0]?.text ?? '', /failed to parse keepalive payload/);
  assert.match(told[1]?.text ?? '', /\(--earlier-max-message-size\)$/);
  assert.deepEqual(told[1]?.fields, { via: 'redis', bytes: 2_001, maxMessageBytes: 2_000 });
});
