// The world itself: that a composed backend can be driven by a clock turned by hand, and that a crash is one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.ts';

test('an event is read back after its commit, and its handlers are told once', async () => {
  const world = await World.open();
  await world.post({ status: 2, output: 'CRITICAL' });
  const event = await world.read('web-01', 'cpu');
  assert.equal(event?.check.state, 'failing');
  assert.deepEqual(
    world.toldOf('web-01', 'cpu').map(({ status }) => status),
    [2],
  );
  await world.stop();
});

test('a check is requested at its tick and its result is stored', async () => {
  const world = await World.open();
  const agent = await world.agent('web-01');
  await world.check('cpu', { interval: 10 });
  await world.advance(60_000);
  assert.equal(agent.requests.length, 6);
  const ticks = agent.requests.map(({ atMs }) => atMs);
  assert.deepEqual(
    ticks.slice(1).map((atMs, index) => atMs - (ticks[index] ?? 0)),
    [10_000, 10_000, 10_000, 10_000, 10_000],
  );
  assert.equal((await world.read('web-01', 'cpu'))?.check.occurrences, 6);
  assert.deepEqual(agent.refusals, []);
  await world.stop();
});

test('a crash keeps what was committed and nothing else', async () => {
  const world = await World.open();
  await world.post({ status: 1 });
  world.backend.acceptEvent(world.event({ name: 'disk' })).catch(() => {});
  await world.crash();
  const rebuilt = await world.start();
  assert.deepEqual(rebuilt, { entities: 1, checks: 1, quarantined: 0 });
  assert.equal(await world.read('web-01', 'disk'), undefined);
  assert.equal((await world.read('web-01', 'cpu'))?.check.status, 1);
  await world.stop();
});
