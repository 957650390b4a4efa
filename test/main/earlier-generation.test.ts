// What serves the earlier generation, put together from settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backend } from '../../src/actors/backend.ts';
import type { Outlet } from '../../src/actors/families/client/client-requests.ts';
import type { Authenticator } from '../../src/http/auth/authenticator.ts';
import { serveEarlierGeneration } from '../../src/main/earlier-generation.ts';
import { createLog } from '../../src/program/log.ts';

const serve = async (...earlierBrokers: string[]) => {
  const outlets = new Map<string, Outlet>();
  const clients = { attach: (outlet: Outlet) => void outlets.set(outlet.name, outlet), heardAgain: () => {} };
  const earlier = await serveEarlierGeneration({
    settings: {
      earlierApiHost: '127.0.0.1',
      earlierApiPort: 0,
      earlierMaxMessageSize: 1_048_576,
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
    log: createLog('panic'),
  });
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
