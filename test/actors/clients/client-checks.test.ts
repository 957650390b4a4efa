// Checks of clients inside a whole backend: who is asked, what a definition adds to a result, and how an incident
// ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBridge } from '../../../src/actors/families/client/broker-bridge.ts';
import { hookConfigSchema } from '../../../src/model/check/hook.ts';
import { isEarlierEvent } from '../../../src/model/earlier/event-shape.ts';
import { fakeTransport } from '../../client/fake-transport.ts';
import { stepUntilAsync } from '../../eventually.ts';
import { attributed, keepalive, open, openWithBroker, result, silent } from './helpers.ts';

const asked = (published: readonly { readonly pipe: string; readonly message: object }[]) =>
  published.map(({ pipe, message }) => {
    const { name, source, command } = message as Record<string, unknown>;
    return [pipe, name, source, command];
  });

test('a check about other clients is asked for once for each that matches, with its tokens filled in', async () => {
  const { world, hear, take, broker } = await openWithBroker();
  await hear(keepalive('poller', { subscriptions: ['roundrobin:pollers'] }), 'redis');
  for (const [source, model] of [
    ['sw-1', 'x'],
    ['sw-2', 'y'],
    ['sw-3', 'x'],
  ])
    await take(result({ source, name: 'seen', model }));
  await world.drive(
    world.backend.clients.declare({
      name: 'sw-1',
      subscriptions: [],
      keepalives: false,
      model: 'x',
      port: 1,
    }),
  );
  await world.drive(
    world.backend.clients.declare({ name: 'sw-3', subscriptions: [], keepalives: false, model: 'x' }),
  );
  await world.check('up', {
    metadata: attributed('up', { proxy_requests: { client_attributes: { model: 'x' } } }),
    command: 'ping :::name::: :::port:::',
    subscriptions: ['roundrobin:pollers'],
    interval: 10,
  });
  await world.advance(10_000);
  assert.deepEqual(asked(broker.published), [['roundrobin:pollers', 'up', 'sw-1', 'ping sw-1 1']]);
  assert.equal(world.warnings(/^failed to publish a proxy check request$/).length, 1);
  await world.stop();
});

test('the copies of such a check are spread over its interval when it asks for that', async () => {
  const { world, broker } = await openWithBroker();
  for (const name of ['sw-1', 'sw-2'])
    await world.drive(world.backend.clients.declare({ name, subscriptions: [], keepalives: false }));
  await world.check('up', {
    metadata: attributed('up', {
      proxy_requests: { client_attributes: {}, splay: true, splay_coverage: 50 },
    }),
    subscriptions: ['pollers'],
    interval: 3_600,
    publish: false,
  });
  await world.drive(world.backend.executeCheck('default', 'up'));
  await world.advance(899_000);
  assert.equal(broker.published.length, 0);
  await world.advance(2_000);
  assert.deepEqual(
    asked(broker.published).map(([, , source]) => source),
    ['sw-1'],
  );
  await world.advance(900_000);
  assert.deepEqual(
    asked(broker.published).map(([, , source]) => source),
    ['sw-1', 'sw-2'],
  );
  await world.stop();
});

test('a proxy check of ours reaches clients too, once for every entity that matches', async () => {
  const { world, take, broker } = await openWithBroker();
  for (const source of ['sw-1', 'web-1']) await take(result({ source, name: 'seen' }));
  await world.check('up', {
    command: 'ping {{ .name }}',
    subscriptions: ['pollers'],
    interval: 10,
    proxy_requests: { entity_attributes: ["entity.metadata.name.startsWith('sw')"] },
  });
  await world.advance(10_000);
  await stepUntilAsync(
    'all entities are matched',
    () => world.backend.proxyChecksMatching === 0,
    () => world.quiet(),
  );
  await world.quiet();
  assert.deepEqual(asked(broker.published), [['pollers', 'up', 'sw-1', 'ping sw-1']]);
  await world.stop();
});

test('nobody is asked for a check that clients run by themselves, nor while a check is subdued', async () => {
  const { world, broker } = await openWithBroker();
  const always = { days: { all: [{ begin: '00:00', end: '23:59:59' }] } };
  await world.check('alone', { metadata: attributed('alone', { standalone: true }), interval: 10 });
  await world.check('hushed', { metadata: attributed('hushed', { subdue: always }), interval: 10 });
  await world.advance(20_000);
  assert.deepEqual(broker.published, []);
  await world.stop();
});

test('a result is completed by the definition of its check, its pipelines included', async () => {
  const { world, hear, take } = await open();
  await hear(keepalive());
  await world.check('cpu', {
    metadata: attributed('cpu', { aggregate: 'load', refresh: 60 }),
    command: 'check-cpu',
    interval: 10,
    handlers: ['mail'],
    pipelines: [{ name: 'incidents', type: 'Pipeline', api_version: 'core/v2' }],
  });
  await take(result());
  const event = await world.read('c1', 'cpu');
  assert.deepEqual([event?.check.handlers, event?.check.command], [['mail'], 'check-cpu']);
  assert.deepEqual(
    event?.pipelines?.map(({ name }) => name),
    ['incidents'],
  );
  await take(result({ standalone: true, name: 'cpu' }));
  assert.deepEqual((await world.read('c1', 'cpu'))?.check.handlers, ['default']);
  await world.stop();
});

test('an incident that is not to resolve by itself outlives OK results, quietly', async () => {
  const { world, hear, take } = await open();
  await hear(keepalive());
  await take(result({ auto_resolve: false, handler: 'mail' }));
  await take(result({ auto_resolve: false, handler: 'mail', status: 0 }));
  const kept = await world.read('c1', 'cpu');
  assert.deepEqual([kept?.check.status, kept?.check.handlers], [0, []]);
  assert.ok(kept !== undefined && isEarlierEvent(kept));
  await take(result({ handler: 'mail', status: 0 }));
  const ended = await world.read('c1', 'cpu');
  assert.ok(ended !== undefined && !isEarlierEvent(ended));
  await world.stop();
});

test('a keepalive check with a source is told about that client, with the sender as its origin', async () => {
  const { world, hear, clients } = await open();
  const rack = { rack: 'r7', keepalive: { source: ':::rack:::', handlers: ['ops'] } };
  await hear(keepalive('c1', rack));
  await world.advance(120_000);
  const event = await world.read('r7', 'keepalive');
  assert.deepEqual([event?.check.status, event?.check.handlers], [1, ['ops']]);
  assert.equal(event?.check.processed_by, 'c1');
  assert.equal(clients.get('r7')?.record['type'], 'proxy');
  assert.equal(await world.read('c1', 'keepalive'), undefined);
  await world.stop();
});

test('a wall clock that is set neither hides nor invents the silence of a client', async () => {
  for (const stepMs of [-3_600_000, 3_600_000]) {
    const { world, hear } = await open();
    await hear(keepalive());
    await world.advance(10_000);
    world.clock.jumpWall(stepMs);
    await world.advance(109_000);
    assert.equal((await world.read('c1', 'keepalive'))?.check.status, 0);
    await world.advance(2_000);
    assert.equal((await world.read('c1', 'keepalive'))?.check.status, 1);
    await world.advance(60_000);
    assert.equal((await world.read('c1', 'keepalive'))?.check.status, 2);
    await world.stop();
  }
});

test('a client that is invalidated does not come back before the time is over, across a crash', async () => {
  const { world, hear, take } = await open();
  await hear(keepalive('c1', { signature: 'S1' }));
  assert.equal(await world.drive(world.backend.deleteClient('c1', { barMs: 60_000 })), true);
  const isKnown = () => world.backend.clients.get('c1') !== undefined;
  await hear(keepalive());
  await take(result());
  assert.ok(!isKnown());
  await world.crash();
  await world.start();
  await world.advance(50_000);
  await hear(keepalive());
  assert.ok(!isKnown());
  assert.equal(await world.drive(world.backend.readEntity('default', 'c1')), undefined);
  await world.advance(11_000);
  await hear(keepalive());
  assert.ok(isKnown());
  assert.equal(await world.drive(world.backend.deleteClient('c1', { barMs: 0 })), true);
  await hear(keepalive());
  assert.ok(isKnown());
  await world.stop();
});

test('round robin asks one client after the other, whatever its transport, and goes on after a restart', async () => {
  const { world, hear, broker } = await openWithBroker();
  const asked = () => broker.published.map(({ pipe }) => pipe);
  for (const name of ['c1', 'c2', 'c3']) await hear(keepalive(name), 'redis');
  await hear(keepalive('away'), 'rabbitmq');
  await hear(keepalive('other', { subscriptions: ['db'] }), 'redis');
  await world.check('turns', { subscriptions: ['web'], interval: 10, round_robin: true });
  await world.advance(30_000);
  assert.deepEqual(asked(), ['client:c1', 'client:c2', 'client:c3']);
  await world.crash();
  await world.start();
  const again = fakeTransport();
  openBridge({ transport: again.transport, clients: world.backend.clients, log: silent });
  again.connect();
  await world.advance(10_000);
  assert.deepEqual(
    again.published.map(({ pipe }) => pipe),
    ['client:c1'],
  );
  await world.stop();
});

test('nothing is put into a list that no client takes from', async () => {
  const { world, hear, broker } = await openWithBroker();
  await world.check('pipe', { subscriptions: ['roundrobin:web', 'direct:x'], interval: 10 });
  await world.check('turns', { subscriptions: ['web'], interval: 10, round_robin: true });
  await world.advance(20_000);
  assert.deepEqual(broker.published, []);
  await hear(keepalive('c1', { subscriptions: ['roundrobin:web'] }), 'redis');
  await world.advance(10_000);
  assert.deepEqual(broker.published.map(({ pipe, message }) => `${pipe} ${message['name']}`).sort(), [
    'client:c1 turns',
    'roundrobin:web pipe',
  ]);
  await world.advance(200_000);
  const before = broker.published.length;
  await world.advance(100_000);
  assert.equal(broker.published.length, before, 'a client that is silent takes nothing');
  await world.stop();
});

test('a check without handlers goes to the handler default, and its hooks go along', async () => {
  const { world, hear, broker, take } = await openWithBroker();
  await hear(keepalive(), 'redis');
  const hook = hookConfigSchema.parse({
    metadata: { name: 'ps', namespace: 'default' },
    command: 'ps',
    timeout: 5,
  });
  await world.define('hooks', 'ps', hook);
  await world.check('cpu', {
    command: 'true',
    subscriptions: ['web'],
    interval: 10,
    handlers: [],
    check_hooks: [{ critical: ['ps'] }],
  });
  await world.advance(10_000);
  const [request] = broker.published.map(({ message }) => message);
  assert.deepEqual(request?.['hooks'], { critical: { command: 'ps', timeout: 5 } });
  await take({ client: 'c1', check: { ...request, output: '', status: 2, executed: 1 } });
  assert.deepEqual((await world.read('c1', 'cpu'))?.check.handlers, ['default']);
  await world.stop();
});
