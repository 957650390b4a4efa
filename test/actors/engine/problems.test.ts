// What can't work as it stands is an event of the platform while it lasts, and no longer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untrustedMessage } from '../../../src/actors/problems/withheld.ts';
import { entitySchema } from '../../../src/model/entity/entity.ts';
import { recorder, World } from './world.ts';

const lastTold = async (world: World) => {
  const page = await world.drive(world.backend.readEvents({ namespace: 'mon-system' }));
  const event = page.items.find(({ check }) => check.metadata.name === 'configuration');
  return event && { status: event.check.status, output: event.check.output };
};

test('a handler that is missing is an event of the platform until it appears, also over a restart', async () => {
  const world = await World.open();
  await world.agent('a', { subscriptions: ['all'] });
  await world.define('handlers', 'record', recorder);
  await world.check('cpu', { handlers: ['record', 'pager'] });
  await world.advance(30_000);
  const told = await lastTold(world);
  assert.equal(told?.status, 1);
  assert.match(told?.output ?? '', /^checks default\/cpu: handlers: the handler "pager" does not exist/);
  assert.equal(world.warnings(/cannot work as they stand/).length, 1);
  await world.define('handlers', 'pager', { ...recorder, metadata: { name: 'pager', namespace: 'default' } });
  await world.advance(30_000);
  assert.equal((await lastTold(world))?.status, 0);
  await world.remove('handlers', 'pager');
  await world.advance(30_000);
  assert.equal((await lastTold(world))?.status, 1);
  await world.stop();
});

test('a check that is withheld is an event of the platform: a secret that is not there, an agent without a certificate', async () => {
  const world = await World.open();
  await world.agent('plain', { subscriptions: ['all'] });
  await world.define('handlers', 'record', recorder);
  await world.define('secrets', 'db', {
    type: 'Secret',
    api_version: 'secrets/v1',
    metadata: { name: 'db', namespace: 'default' },
    spec: { id: 'MON_TEST_UNSET_VARIABLE', provider: 'env' },
  });
  await world.check('login', { interval: 10, secrets: [{ name: 'PASSWORD', secret: 'db' }] });
  await world.advance(40_000);
  assert.match((await lastTold(world))?.output ?? '', /a secret can't be resolved \(secret not found: db/);
  process.env['ENGINE_TEST_SECRET'] = 'correct horse';
  await world.define('secrets', 'db', {
    type: 'Secret',
    api_version: 'secrets/v1',
    metadata: { name: 'db', namespace: 'default' },
    spec: { id: 'ENGINE_TEST_SECRET', provider: 'env' },
  });
  await world.advance(40_000);
  assert.match(
    (await lastTold(world))?.output ?? '',
    /not sent to plain: the check has secrets, and they travel only over mutual TLS/,
  );
  await world.stop();
  delete process.env['ENGINE_TEST_SECRET'];
});

test('where everything works there is no such event', async () => {
  const world = await World.open();
  await world.agent('a', { subscriptions: ['all'] });
  await world.define('handlers', 'record', recorder);
  await world.check('cpu');
  await world.advance(60_000);
  assert.equal(await lastTold(world), undefined);
  await world.stop();
});

test('what is told already is not told again after a restart', async () => {
  const world = await World.open();
  const agent = await world.agent('a', { subscriptions: ['all'] });
  await world.define('handlers', 'record', recorder);
  await world.check('cpu', { handlers: ['record', 'pager'] });
  await world.advance(30_000);
  await world.crash();
  await world.start();
  agent.connect();
  await world.advance(60_000);
  const page = await world.drive(world.backend.readEvents({ namespace: 'mon-system' }));
  const event = page.items.find(({ check }) => check.metadata.name === 'configuration');
  assert.equal(event?.check.occurrences, 1);
  assert.equal(event?.entity.entity_class, 'backend');
  await world.stop();
});

test('a handler that only an entity names is an event of the platform until it appears, also over a restart', async () => {
  const world = await World.open();
  await world.define('handlers', 'record', recorder);
  await world.drive(
    world.backend.putEntity(
      entitySchema.parse({
        metadata: { name: 'router', namespace: 'default' },
        keepalive_handlers: ['record', 'pager'],
        deregistration: { handler: 'goodbye' },
      }),
      { create: true },
    ),
  );
  const missing =
    'entities default/router: deregistration.handler: the handler "goodbye" does not exist; events of this entity do not reach it\n' +
    'entities default/router: keepalive_handlers: the handler "pager" does not exist; events of this entity do not reach it';
  await world.advance(30_000);
  assert.deepEqual(await lastTold(world), { status: 1, output: missing });
  await world.crash();
  await world.start();
  await world.advance(30_000);
  const named = (name: string) => ({ ...recorder, metadata: { name, namespace: 'default' } });
  await world.define('handlers', 'pager', named('pager'));
  await world.advance(30_000);
  assert.deepEqual(await lastTold(world), { status: 1, output: missing.split('\n')[0] });
  await world.define('handlers', 'goodbye', named('goodbye'));
  await world.advance(30_000);
  assert.equal((await lastTold(world))?.status, 0);
  await world.remove('handlers', 'goodbye');
  await world.drive(world.backend.deleteEntity('default', 'router'));
  await world.advance(30_000);
  assert.equal((await lastTold(world))?.status, 0);
  await world.stop();
});

test('of many agents without a certificate five are named, and the rest is counted', () => {
  const names = ['e', 'd', 'c', 'b', 'a'];
  assert.match(untrustedMessage(names), /^not sent to a, b, c, d, e: /);
  assert.match(untrustedMessage([...names, 'f', 'g']), /^not sent to a, b, c, d, e and 2 more: /);
});
