// The registry of clients inside a whole backend, on a clock turned by hand (interface section 3).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBridge } from '../../../src/actors/families/client/broker-bridge.ts';
import { clientLabel } from '../../../src/model/earlier/attributes.ts';
import { handlerSchema } from '../../../src/model/pipeline/handler.ts';
import { fakeTransport } from '../../client/fake-transport.ts';
import { keepalive, open, result } from './helpers.ts';

const handler = (name: string) =>
  handlerSchema.parse({ metadata: { name, namespace: 'default' }, type: 'pipe', command: 'true' });

test('a keepalive registers a client, which is then an entity and has a keepalive event', async () => {
  const { world, hear, clients } = await open();
  await hear(keepalive('c1', { custom: { rack: 7 } }));
  await world.quiet();
  assert.deepEqual(clients.get('c1')?.state, { keepalive: 'healthy', signature: 'unsigned' });
  const entity = await world.drive(world.backend.readEntity('default', 'c1'));
  assert.equal(entity?.entity_class, 'proxy');
  assert.equal(entity?.metadata.labels?.[clientLabel], 'true');
  assert.deepEqual(entity?.subscriptions, ['web', 'client:c1', 'entity:c1']);
  const event = await world.read('c1', 'keepalive');
  assert.equal(event?.check.status, 0);
  assert.equal(event?.check.output, 'Keepalive sent from client 0 seconds ago');
  await world.stop();
});

test('silence is told at 120 s and 180 s, by the keepalive handler if there is one, and ends with a keepalive', async () => {
  const { world, hear } = await open();
  await hear(keepalive());
  await world.advance(119_000);
  assert.equal((await world.read('c1', 'keepalive'))?.check.status, 0);
  await world.advance(1_000);
  const warned = await world.read('c1', 'keepalive');
  assert.equal(warned?.check.output, 'No keepalive sent from client for 120 seconds (>=120)');
  assert.deepEqual([warned?.check.status, warned?.check.handlers], [1, ['default']]);
  await world.define('handlers', 'keepalive', handler('keepalive'));
  await world.advance(60_000);
  const critical = await world.read('c1', 'keepalive');
  assert.deepEqual([critical?.check.status, critical?.check.handlers], [2, ['keepalive']]);
  await hear(keepalive());
  assert.equal((await world.read('c1', 'keepalive'))?.check.status, 0);
  assert.deepEqual(world.backend.clients.get('c1')?.state, { keepalive: 'healthy', signature: 'unsigned' });
  await world.stop();
});

test('results become events; a source makes a proxy client that nobody watches', async () => {
  const { world, hear, take, clients } = await open();
  await hear(keepalive());
  await take(result({ handler: 'mail', refresh: 60, ttl_status: 2 }));
  const event = await world.read('c1', 'cpu');
  assert.deepEqual(
    [event?.check.status, event?.check.state, event?.check.handlers],
    [1, 'failing', ['mail']],
  );
  await take(result({ source: 'sw-1', name: 'port' }));
  assert.equal((await world.read('sw-1', 'port'))?.check.processed_by, 'c1');
  assert.equal(clients.get('sw-1')?.record['type'], 'proxy');
  await world.advance(600_000);
  assert.equal(await world.read('sw-1', 'keepalive'), undefined);
  assert.deepEqual(
    clients.list().map(({ name }) => name),
    ['c1', 'sw-1'],
  );
  await world.stop();
});

test('a TTL that runs out is a failure with the status it names, unless the client itself is silent', async () => {
  const { world, hear, take } = await open();
  await hear(keepalive('c1', { keepalive: { thresholds: { warning: 40, critical: 60 } } }));
  await take(result({ status: 0, ttl: 30, ttl_status: 2 }));
  await world.advance(30_000);
  const expired = await world.read('c1', 'cpu');
  assert.equal(expired?.check.status, 2);
  assert.match(expired?.check.output ?? '', /^Last check execution was 30 seconds ago/);
  await take(result({ status: 0, ttl: 30, ttl_status: 2 }));
  await world.advance(60_000);
  assert.notEqual((await world.read('c1', 'keepalive'))?.check.status, 0);
  await world.stop();
});

test('after a signature was adopted, what does not carry it is dropped with the warnings', async () => {
  const { world, hear, take, clients } = await open();
  await hear(keepalive());
  await hear(keepalive('c1', { signature: 'S1' }));
  assert.deepEqual(clients.get('c1')?.state, { keepalive: 'healthy', signature: 'signed' });
  await hear(keepalive('c1', { signature: 'EVIL', address: 'evil' }));
  await hear(keepalive('c1', { address: 'evil' }));
  assert.equal(clients.get('c1')?.record['address'], '10.0.0.9');
  assert.equal(world.warnings(/^invalid client signature$/).length, 2);
  assert.equal(world.warnings(/^not updating client in the registry$/).length, 2);
  await take(result());
  await take(result({}, { signature: 'EVIL' }));
  await world.quiet();
  assert.equal(await world.read('c1', 'cpu'), undefined);
  for (const text of [
    /^invalid check result signature$/,
    /^not retrieving client from the registry$/,
    /^halting result processing$/,
  ])
    assert.equal(world.warnings(text).length, 2);
  assert.ok(!JSON.stringify(world.logged).includes('S1'));
  await take(result({}, { signature: 'S1' }));
  assert.equal((await world.read('c1', 'cpu'))?.check.status, 1);
  await world.stop();
});

test('only deleting the client takes its signature back; its events and its entity go with it', async () => {
  const { world, hear, take, clients } = await open();
  await hear(keepalive('c1', { signature: 'S1' }));
  await take(result({}, { signature: 'S1' }));
  assert.equal(await world.drive(world.backend.deleteClient('c1')), true);
  await world.quiet();
  assert.equal(clients.get('c1'), undefined);
  assert.equal(await world.read('c1', 'cpu'), undefined);
  assert.equal(await world.drive(world.backend.readEntity('default', 'c1')), undefined);
  assert.equal(world.toldOf('c1', 'cpu').at(-1)?.status, 0);
  assert.equal(await world.drive(world.backend.deleteClient('c1')), false);
  await hear(keepalive());
  assert.deepEqual(clients.get('c1')?.state, { keepalive: 'healthy', signature: 'unsigned' });
  await world.stop();
});

test('a registration is announced when somebody is there to hear it, and never stored', async () => {
  const { world, hear } = await open();
  await hear(keepalive('quiet'));
  assert.deepEqual(world.toldOf('quiet', 'registration'), []);
  await hear(keepalive('asks', { registration: { handler: 'inventory', note: 1 } }));
  await world.quiet();
  const [told] = world.toldOf('asks', 'registration');
  assert.deepEqual([told?.status, told?.output], [1, 'new client registration']);
  assert.deepEqual(told?.event.check?.handlers, ['inventory']);
  await world.define('handlers', 'registration', handler('registration'));
  await hear(keepalive('c1'));
  await hear(keepalive('c1'));
  await world.quiet();
  assert.equal(world.toldOf('c1', 'registration').length, 1);
  assert.equal(await world.read('c1', 'registration'), undefined);
  await world.stop();
});

test('a client that leaves is forgotten, unless a handler of that name is there', async () => {
  const { world, hear, take, clients } = await open();
  const goodbye = result({
    name: 'deregistration',
    handler: 'deregistration',
    output: 'client initiated deregistration',
  });
  await hear(keepalive());
  await take(goodbye);
  await world.quiet();
  assert.equal(clients.get('c1'), undefined);
  assert.equal(world.toldOf('c1', 'deregistration').length, 1);
  await world.define('handlers', 'deregistration', handler('deregistration'));
  await hear(keepalive());
  await take(goodbye);
  await world.quiet();
  assert.ok(clients.get('c1'));
  assert.equal((await world.read('c1', 'deregistration'))?.check.output, 'client initiated deregistration');
  await world.stop();
});

test('clients survive a crash with their signature, and get one full timeout before they are called silent', async () => {
  const { world, hear } = await open();
  await hear(keepalive('c1', { signature: 'S1' }));
  await world.advance(100_000);
  await world.crash();
  await world.start();
  assert.deepEqual(world.backend.clients.get('c1')?.state, { keepalive: 'healthy', signature: 'signed' });
  await world.advance(119_000);
  assert.equal((await world.read('c1', 'keepalive'))?.check.status, 0);
  await world.advance(2_000);
  assert.equal((await world.read('c1', 'keepalive'))?.check.status, 2);
  await world.stop();
});

test('bad messages are refused with a reason, and change nothing', async () => {
  const { world, hear, take, clients } = await open();
  for (const wrong of [null, 'x', {}, { name: 'a/b', subscriptions: [] }, { name: 'c1' }])
    await assert.rejects(hear(wrong), { name: 'MonError' });
  for (const wrong of [null, {}, { client: 'c1' }, result({ name: 'a/b' }), result({ output: 1 })])
    await assert.rejects(take(wrong), { name: 'MonError' });
  assert.deepEqual(clients.list(), []);
  await world.stop();
});

test('a client with the name of an agent is refused, so that the two do not fight over one keepalive', async () => {
  const { world, hear } = await open();
  const agent = await world.agent('c1');
  await world.advance(1_000);
  assert.ok(agent);
  await assert.rejects(hear(keepalive()), /an agent has the name of client c1/);
  await world.stop();
});

test('over a broker: pipes are listened to, requests are put into theirs', async () => {
  const { world, clients } = await open();
  const broker = fakeTransport();
  const lines: string[] = [];
  const note = (_fields: object, text: string) => void lines.push(text);
  const bridge = openBridge({
    transport: broker.transport,
    clients,
    log: { info: note, warn: note, error: note },
  });
  broker.connect();
  await world.quiet();
  assert.deepEqual([...broker.takers.keys()], ['keepalives', 'results']);
  broker.request('keepalives', keepalive());
  broker.request('results', result());
  for (const wrong of ['{', '[]']) broker.request('results', wrong);
  await world.quiet();
  assert.ok(clients.get('c1'));
  assert.equal((await world.read('c1', 'cpu'))?.check.status, 1);
  assert.ok(lines.includes('failed to parse result payload'));
  assert.ok(lines.includes('a result of a client was dropped'));

  await world.check('load', { command: 'load', subscriptions: ['web', 'entity:c1'], interval: 10 });
  await world.advance(10_000);
  const asked = broker.published.map(({ pipe, message }) => [pipe, message['name'], message['command']]);
  assert.deepEqual(asked, [
    ['web', 'load', 'load'],
    ['client:c1', 'load', 'load'],
  ]);
  await bridge.close();
  await world.stop();
});

test('a broker that goes away and comes back raises no false alarm, and who is really gone is told of', async () => {
  const { world, clients } = await open();
  const broker = fakeTransport();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  openBridge({ transport: broker.transport, clients, log: silent });
  broker.connect();
  await world.quiet();
  for (const name of ['alive', 'dead']) broker.request('keepalives', keepalive(name));
  await world.quiet();
  broker.lose();
  await world.advance(3_600_000);
  for (const name of ['alive', 'dead']) assert.equal((await world.read(name, 'keepalive'))?.check.status, 0);
  broker.connect();
  await world.quiet();
  for (let second = 0; second < 130; second += 10) {
    broker.request('keepalives', keepalive('alive'));
    await world.advance(10_000);
  }
  assert.equal((await world.read('alive', 'keepalive'))?.check.status, 0);
  assert.notEqual((await world.read('dead', 'keepalive'))?.check.status, 0);
  await world.stop();
});
