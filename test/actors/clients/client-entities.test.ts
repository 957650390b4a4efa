// The entity of a client: what operators made of it stays, what the client says moves, and an agent of its name comes first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesAnnotation, clientLabel } from '../../../src/model/earlier/attributes.ts';
import type { Entity } from '../../../src/model/entity/entity.ts';
import { emptySystem } from '../../../src/model/entity/entity.ts';
import { keepalive, open, result } from './helpers.ts';

type Opened = Awaited<ReturnType<typeof open>>;

const operators = (name: string): Entity => ({
  metadata: {
    name,
    namespace: 'default',
    labels: { site: 'north' },
    annotations: { runbook: 'https://wiki/x' },
    created_by: 'ada',
  },
  entity_class: 'proxy',
  subscriptions: ['routers'],
  deregister: false,
  deregistration: {},
  system: emptySystem(),
  last_seen: 0,
  mon_agent_version: '',
});

const read = async ({ world }: Opened, name: string): Promise<Entity> => {
  await world.quiet();
  const entity = await world.drive(world.backend.readEntity('default', name));
  assert.ok(entity !== undefined, name);
  return entity;
};

const assertKept = ({ metadata, subscriptions }: Entity): void => {
  assert.equal(metadata.labels?.['site'], 'north');
  assert.equal(metadata.annotations?.['runbook'], 'https://wiki/x');
  assert.equal(metadata.created_by, 'ada');
  assert.equal(metadata.labels?.[clientLabel], 'true');
  assert.ok(subscriptions.includes('routers'), subscriptions.join());
};

const create = async ({ world }: Opened, name: string): Promise<void> => {
  await world.drive(world.backend.putEntity(operators(name), { create: true }));
};

test('a result that names an existing entity leaves it what its operator made of it', async () => {
  const opened = await open();
  await create(opened, 'sw-1');
  await opened.take(result({ source: 'sw-1', name: 'port' }));
  const entity = await read(opened, 'sw-1');
  assertKept(entity);
  assert.deepEqual(entity.subscriptions, ['routers', 'entity:sw-1', 'client:sw-1']);
  assert.equal((await opened.world.read('sw-1', 'port'))?.entity.metadata.labels?.['site'], 'north');
  await opened.world.stop();
});

test('so does a keepalive, from the first to the last, over a restart and a changed definition', async () => {
  const opened = await open();
  const { world, hear } = opened;
  await create(opened, 'c1');
  await hear(keepalive('c1', { rack: 1 }));
  assertKept(await read(opened, 'c1'));
  await world.crash();
  await world.start();
  const again = (record: object) => world.drive(world.backend.clients.keepalive(record, 'websocket'));
  await again(keepalive('c1', { rack: 2, subscriptions: ['db'] }));
  const entity = await read(opened, 'c1');
  assertKept(entity);
  assert.deepEqual(entity.subscriptions, ['db', 'client:c1', 'routers', 'entity:c1']);
  assert.equal(JSON.parse(entity.metadata.annotations?.[attributesAnnotation] ?? '').rack, 2);
  await world.stop();
});

test('what an operator adds to the entity of a client stays; what the client takes back goes', async () => {
  const opened = await open();
  const { world, hear } = opened;
  await hear(keepalive('c1', { rack: 1 }));
  const entity = await read(opened, 'c1');
  await world.drive(
    world.backend.putEntity(
      {
        ...entity,
        metadata: { ...entity.metadata, labels: { ...entity.metadata.labels, team: 'x' } },
        subscriptions: [...entity.subscriptions, 'night'],
      },
      { create: false },
    ),
  );
  await hear(keepalive('c1', { subscriptions: [] }));
  const { metadata, subscriptions } = await read(opened, 'c1');
  assert.equal(metadata.labels?.['team'], 'x');
  assert.deepEqual(subscriptions, ['client:c1', 'entity:c1', 'night']);
  assert.equal(JSON.parse(metadata.annotations?.[attributesAnnotation] ?? '').rack, undefined);
  await world.stop();
});

test('a change by an operator is never undone by a keepalive that crosses it', async () => {
  const opened = await open();
  const { world } = opened;
  await opened.hear(keepalive());
  const entity = await read(opened, 'c1');
  const labels = { ...entity.metadata.labels, team: 'x' };
  const changed = { ...entity, metadata: { ...entity.metadata, labels } };
  await world.drive(
    Promise.all([
      world.backend.clients.keepalive(keepalive('c1', { rack: 3 }), 'websocket'),
      world.backend.putEntity(changed, { create: false }),
      world.backend.clients.keepalive(keepalive('c1', { rack: 4 }), 'websocket'),
    ]),
  );
  const { metadata } = await read(opened, 'c1');
  assert.equal(metadata.labels?.['team'], 'x');
  assert.equal(JSON.parse(metadata.annotations?.[attributesAnnotation] ?? '').rack, 4);
  await world.stop();
});

test('last_seen moves with every keepalive, by our clock, and survives a restart', async () => {
  const opened = await open();
  const { world, hear } = opened;
  await hear(keepalive());
  const first = (await read(opened, 'c1')).last_seen;
  await world.advance(20_000);
  await hear(keepalive());
  assert.equal((await read(opened, 'c1')).last_seen, first + 20);
  await world.crash();
  await world.start();
  assert.equal((await read(opened, 'c1')).last_seen, first + 20);
  await world.stop();
});

test('the signature of a client is not written where others read its entity', async () => {
  const opened = await open();
  await opened.hear(keepalive('c1', { signature: 'S1', service: { password: 'p1' } }));
  const text = JSON.stringify(await read(opened, 'c1'));
  assert.ok(!text.includes('S1') && !text.includes('p1'), text);
  await opened.world.stop();
});

test('a silent client that is deleted as an entity stays deleted', async () => {
  const { world, hear, clients } = await open();
  await hear(keepalive());
  await world.advance(200_000);
  assert.equal((await world.read('c1', 'keepalive'))?.check.status, 2);
  assert.equal(await world.drive(world.backend.deleteEntity('default', 'c1')), true);
  await world.advance(600_000);
  assert.equal(clients.get('c1'), undefined);
  assert.equal(await world.drive(world.backend.readEntity('default', 'c1')), undefined);
  assert.equal(await world.read('c1', 'keepalive'), undefined);
  await world.stop();
});

test('an agent that takes the name of a client is the one that is watched', async () => {
  const { world, hear, take, clients } = await open();
  await hear(keepalive('a1'));
  await world.agent('a1');
  await world.advance(600_000);
  assert.equal((await world.read('a1', 'keepalive'))?.check.status, 0);
  assert.deepEqual(
    world.toldOf('a1', 'keepalive').filter(({ status }) => status > 0),
    [],
  );
  assert.equal(clients.get('a1'), undefined);
  assert.equal(world.warnings(/an agent took the name of this client/).length, 1);
  const conflict = /an agent has the name of client a1; rename one of them/;
  await assert.rejects(hear(keepalive('a1')), conflict);
  await assert.rejects(take(result({ source: 'a1', name: 'forged' })), conflict);
  await assert.rejects(take(result({ name: 'forged' }, { client: 'a1' })), conflict);
  await world.stop();
});
