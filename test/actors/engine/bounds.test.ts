// How much one entity may hold: so many checks, and so many bytes of large events. What exists goes on, and the limits are the
// same after a restart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.ts';

const large = (bytes: number) => 'x'.repeat(bytes);

test('an entity may have so many checks; one more is refused, and what is there goes on', async () => {
  const world = await World.open({ entityBounds: { maxChecks: 3 } });
  for (const name of ['a', 'b', 'c']) await world.post({ name });
  const refused =
    /entity web-01 has 3 checks, the most it may have, so d is not added: .*--max-checks-per-entity/;
  await assert.rejects(world.post({ name: 'd' }), refused);
  assert.equal(await world.read('web-01', 'd'), undefined);
  await world.post({ name: 'a', status: 2 });
  assert.equal((await world.read('web-01', 'a'))?.check.status, 2);
  await world.post({ name: 'd' }, { name: 'web-02' });
  assert.equal(world.backend.gauges().eventsOverBounds, 1);
  assert.equal(world.backend.gauges().events, 4);

  await world.crash();
  await world.start();
  await assert.rejects(world.post({ name: 'd' }), refused);
  await world.drive(world.backend.deleteEvent('default', 'web-01', 'c'));
  await world.post({ name: 'd' });
  assert.equal((await world.read('web-01', 'd'))?.check.status, 0);
  await world.stop();
});

test('an event that is refused does not bring its entity into being', async () => {
  const world = await World.open({ entityBounds: { maxBytes: 10_000 } });
  await assert.rejects(
    world.post({ name: 'a', output: large(10_001) }, { name: 'new' }),
    /--max-entity-bytes/,
  );
  assert.equal(await world.drive(world.backend.readEntity('default', 'new')), undefined);
  await world.stop();
});

test('the last events of an entity may take so many bytes, over restarts as well', async () => {
  const world = await World.open({ entityBounds: { maxBytes: 20_000 } });
  await world.post({ name: 'a', output: large(10_000) });
  await world.post({ name: 'b', output: large(10_000) });
  const refused =
    /the last events of entity web-01 would take 25000 bytes with this one, at most 20000 are kept/;
  await assert.rejects(world.post({ name: 'c', output: large(5_000) }), refused);
  assert.equal(world.backend.gauges().largeEventBytes, 20_000);
  await world.crash();
  await world.start();
  assert.equal(world.backend.gauges().largeEventBytes, 20_000);
  await assert.rejects(world.post({ name: 'c', output: large(5_000) }), refused);
  await world.post({ name: 'c', output: 'small events are not counted' });
  await world.post({ name: 'a', output: large(5_000) });
  await world.post({ name: 'c', output: large(5_000) });
  assert.equal(world.backend.gauges().largeEventBytes, 20_000);
  await world.drive(world.backend.deleteEntity('default', 'web-01'));
  await world.quiet();
  assert.equal(world.backend.gauges().largeEventBytes, 0);
  await world.stop();
});

test('an agent over its limits goes on sending keepalives', async () => {
  const world = await World.open({ entityBounds: { maxChecks: 1 } });
  await world.agent('web-01');
  await world.advance(60_000);
  await world.post({ name: 'a' });
  await assert.rejects(world.post({ name: 'b' }), /has 1 checks/);
  assert.equal((await world.read('web-01', 'keepalive'))?.check.status, 0);
  await world.stop();
});
