// One story on every transport: clients register, report, take turns, sign, lose their broker, and leave. The clients are
// the real ones and so is the backend; Redis and RabbitMQ are real servers.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Bridge, openBridge } from '../../../src/actors/families/client/broker-bridge.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { realTimers } from '../../../src/client/timers.ts';
import type { Json } from '../../../src/model/earlier/json.ts';
import { createRabbitmqTransport } from '../../../src/wire/earlier/rabbitmq-transport.ts';
import { createRedisTransport } from '../../../src/wire/earlier/redis-transport.ts';
import type { Transport } from '../../../src/wire/earlier/transport.ts';
import { createWebSocketTransport } from '../../../src/wire/earlier/web-socket-transport.ts';
import { dial, eventually, rememberingLog } from '../../client/helpers.ts';
import { eventually as patiently } from '../../eventually.ts';
import {
  type Broker,
  rabbitmqSkipReason,
  redisSkipReason,
  startRabbitmq,
  startRedis,
} from '../../wire/earlier/brokers.ts';
import { type LiveBackend, openLiveBackend, password } from './live-backend.ts';

const stepMs = 50;
const faults: unknown[] = [];
const onFault = (error: unknown) => void faults.push(error);

interface Way {
  readonly skip: string | false;
  readonly start?: () => Promise<Broker>;
  /** A transport of a client, or of the backend where a broker stands between. */
  readonly transport: (live: LiveBackend, broker: Broker | undefined) => Transport;
}

const ways: Readonly<Record<string, Way>> = {
  websocket: {
    skip: false,
    transport: ({ port }) =>
      createWebSocketTransport({
        url: `ws://127.0.0.1:${port}/transport`,
        user: 'agent',
        password,
        stepMs,
        onFault,
      }),
  },
  redis: {
    skip: redisSkipReason(),
    start: startRedis,
    transport: (_live, broker) => createRedisTransport({ redis: broker?.url, stepMs, onFault }),
  },
  rabbitmq: {
    skip: rabbitmqSkipReason(),
    start: startRabbitmq,
    transport: (_live, broker) => createRabbitmqTransport({ rabbitmq: broker?.url, stepMs, onFault }),
  },
};

for (const [name, way] of Object.entries(ways)) {
  describe(`over ${name}`, { skip: way.skip }, () => {
    let live: LiveBackend;
    let broker: Broker | undefined;
    let bridge: Bridge | undefined;
    const running: Client[] = [];

    before(async () => {
      live = await openLiveBackend();
      broker = await way.start?.();
      if (broker === undefined) return;
      const { clients } = live.backend;
      const note = (_fields: object, text: string) => void live.warnings.push(text);
      bridge = openBridge({
        transport: way.transport(live, broker),
        clients,
        log: { info: () => {}, warn: note, error: note },
      });
      await eventually(() => clients.outlet(name)?.isConnected());
    });
    after(async () => {
      for (const client of running) await client.stop();
      await bridge?.close();
      await live.close();
      await broker?.stop();
      assert.deepEqual(faults, []);
    });

    const start = async (more: Json & { readonly name: string }, checks: Json = {}) => {
      const log = rememberingLog();
      const transport = way.transport(live, broker);
      const client = createClient({
        settings: {
          client: {
            address: 'a',
            subscriptions: ['web', 'roundrobin:web', `client:${more.name}`],
            socket: { port: 0 },
            http_socket: { port: 0 },
            ...more,
          },
          checks,
        },
        version: '1.2.3',
        log,
        timers: realTimers,
        transport,
        onFault,
      });
      running.push(client);
      client.start();
      await eventually(() => live.backend.clients.get(more.name), `client ${more.name}`);
      return { client, log, transport };
    };
    const event = (entity: string, check: string) => live.backend.readEvent('default', entity, check);
    const eventuallyEvent = async (entity: string, check: string, status: number) => {
      return patiently(`${entity}/${check} with status ${status}`, async () => {
        const found = await event(entity, check);
        return found?.check.status === status && found;
      });
    };
    const say = async (client: Client, result: object) => {
      const line = dial(client.ports().socket ?? 0);
      line.send(JSON.stringify(result));
      assert.equal(await line.closed, 'ok');
    };

    test('clients register, and their results become events', async () => {
      const { client } = await start({ name: 'c1', rack: 7 });
      assert.equal(live.backend.clients.get('c1')?.record['rack'], 7);
      await eventuallyEvent('c1', 'keepalive', 0);
      await say(client, { name: 'app', output: 'bad', status: 2 });
      const event = await eventuallyEvent('c1', 'app', 2);
      assert.equal(event.check.output, 'bad');
      assert.deepEqual(event.metadata, { namespace: 'default' }, 'as every other event');
      await say(client, { name: 'port', output: 'down', status: 1, source: 'sw-1' });
      await eventuallyEvent('sw-1', 'port', 1);
    });

    test('a TTL runs out with the status it names', async () => {
      const { client } = await start({ name: 'c2' });
      await say(client, { name: 'beat', output: 'x', status: 0, ttl: 1, ttl_status: 2 });
      assert.match(
        (await eventuallyEvent('c2', 'beat', 2)).check.output,
        /^Last check execution was \d+ seconds ago/,
      );
    });

    test('a request reaches every subscriber, a round-robin one each in turn', async () => {
      await live.define('all', { command: 'echo all', subscriptions: ['web'] });
      await live.define('turns', { command: 'echo turn', subscriptions: ['web'], round_robin: true });
      await live.backend.executeCheck('default', 'all');
      for (const client of ['c1', 'c2']) await eventuallyEvent(client, 'all', 0);
      const issued = Math.floor(Date.now() / 1000);
      const runs = async () => {
        const found = await Promise.all(['c1', 'c2'].map((client) => event(client, 'turns')));
        return found.map((one) => one?.check.history?.length ?? 0);
      };
      for (let turn = 1; turn <= 4; turn += 1) {
        await live.backend.executeCheck('default', 'turns');
        await patiently(
          `turn ${turn}`,
          async () => (await runs()).reduce((sum, count) => sum + count, 0) >= turn,
        );
      }
      assert.deepEqual(await runs(), [2, 2]);
      assert.ok(((await event('c1', 'turns'))?.check.issued ?? 0) >= issued);
    });

    test('a request for one client reaches that one', async () => {
      await live.define('one', { command: 'echo one', subscriptions: ['entity:c2'] });
      await live.backend.executeCheck('default', 'one');
      await eventuallyEvent('c2', 'one', 0);
      assert.equal(await event('c1', 'one'), undefined);
    });

    test('messages with a wrong signature are dropped', async () => {
      const { client } = await start({ name: 'signed', signature: 'S1' });
      await eventually(() => JSON.stringify(live.backend.clients.get('signed')?.state).includes('"signed"'));
      await say(client, { name: 'mine', output: 'x', status: 1 });
      await eventuallyEvent('signed', 'mine', 1);
      const before = live.warnings.length;
      const evil = way.transport(live, broker);
      await new Promise<void>((resolve, reject) =>
        evil.open({ connected: resolve, lost: () => {}, failed: (reason) => reject(new Error(reason)) }),
      );
      const forged = {
        client: 'signed',
        signature: 'EVIL',
        check: { name: 'forged', output: 'x', status: 0 },
      };
      await evil.publish({ type: 'direct', name: 'results' }, JSON.stringify(forged));
      await eventually(() => live.warnings.slice(before).includes('halting result processing'));
      assert.equal(await event('signed', 'forged'), undefined);
      await evil.close();
    });

    test('an invalid message is dropped and logged; the next one is accepted', async () => {
      const sender = way.transport(live, broker);
      await new Promise<void>((resolve) =>
        sender.open({ connected: resolve, lost: () => {}, failed: () => {} }),
      );
      for (const wrong of ['{"client":"c1"}', '[]', '{"client":"a b","check":{}}'])
        await sender.publish({ type: 'direct', name: 'results' }, wrong).catch(() => {});
      const good = { client: 'c1', check: { name: 'after', output: 'x', status: 1 } };
      await sender.publish({ type: 'direct', name: 'results' }, JSON.stringify(good));
      await eventuallyEvent('c1', 'after', 1);
      await sender.close();
    });

    test('a client that leaves for good is forgotten', async () => {
      const { client } = await start({ name: 'guest', deregister: true });
      await say(client, { name: 'app', output: 'x', status: 1 });
      await eventuallyEvent('guest', 'app', 1);
      await client.stop();
      await eventually(() => live.backend.clients.get('guest') === undefined, 'the farewell');
      assert.ok(live.told.some(({ entity, check }) => entity === 'guest' && check === 'deregistration'));
    });

    if (way.start !== undefined)
      test('a broker that crashes and comes back is found again by all, and held results arrive', async () => {
        const { client, log, transport } = await start({ name: 'tough' });
        await broker?.kill();
        await eventually(() => !transport.isConnected(), 'the loss');
        await say(client, { name: 'held', output: 'x', status: 1 });
        await eventually(() => log.told('failed to publish check result').length > 0);
        await broker?.start();
        await eventuallyEvent('tough', 'held', 1);
        await eventually(() => live.backend.clients.outlet(name)?.isConnected(), 'the bridge');
        assert.deepEqual(
          live.told.filter(({ check, status }) => check === 'keepalive' && status > 0),
          [],
        );
      });
  });
}
