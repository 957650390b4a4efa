// TTLs through the whole engine: a check that promised to report and did not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startMs, World } from './world.ts';

/** `40 s: 1`: when the pipelines were told of the check, and with which status. */
const timeline = (world: World, entity: string, check: string): string[] =>
  world
    .toldOf(entity, check)
    .map(({ atMs, status }) => `${Math.round((atMs - startMs) / 1000)} s: ${status}`);

const ttlState = (world: World, entity: string, check: string): unknown => {
  const snapshot = world.backend.runtime.registry.peek(`check:default/${entity}/${check}`) as unknown as
    | { readonly value: { readonly ttl: string } }
    | undefined;
  return snapshot?.value.ttl;
};

const backup = { name: 'backup', ttl: 40, interval: 20 };

describe('a TTL', () => {
  test('runs out, is reported again every ttl, and ends with the next result', async () => {
    const world = await World.open();
    await world.post(backup);
    assert.equal(ttlState(world, 'web-01', 'backup'), 'waiting');
    await world.advance(90_000);
    assert.equal(ttlState(world, 'web-01', 'backup'), 'expired');
    await world.post(backup);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '40 s: 1', '80 s: 1', '90 s: 0']);
    const [, first] = world.toldOf('web-01', 'backup');
    assert.equal(first?.output, 'Last check execution was 40 seconds ago');
    assert.equal(first?.event.check?.occurrences, 1);
    await world.stop();
  });

  test('is pushed by every result', async () => {
    const world = await World.open();
    for (let run = 0; run < 10; run += 1) {
      await world.post(backup);
      await world.advance(39_000);
    }
    assert.deepEqual(
      world.toldOf('web-01', 'backup').filter(({ status }) => status !== 0),
      [],
    );
    await world.stop();
  });

  test('is given up by an event without ttl, before and after it ran out', async () => {
    const world = await World.open();
    await world.post(backup);
    await world.post({ name: 'backup' });
    assert.equal(ttlState(world, 'web-01', 'backup'), 'notExpecting');
    await world.advance(600_000);
    await world.post(backup);
    await world.advance(45_000);
    await world.post({ name: 'backup' });
    await world.advance(600_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), [
      '0 s: 0',
      '0 s: 0',
      '600 s: 0',
      '640 s: 1',
      '645 s: 0',
    ]);
    await world.stop();
  });

  test('takes the status its check names', async () => {
    const world = await World.open();
    await world.post({ ...backup, ttl_status: 2 });
    await world.advance(41_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '40 s: 2']);
    await world.stop();
  });

  test('goes with the event when that is deleted', async () => {
    const world = await World.open();
    await world.post(backup);
    await world.drive(world.backend.deleteEvent('default', 'web-01', 'backup'));
    await world.advance(600_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0']);
    assert.equal(await world.read('web-01', 'backup'), undefined);
    await world.stop();
  });

  test('does not depend on which agent runs the check of a proxy entity', async () => {
    const world = await World.open();
    await world.agent('a', { subscriptions: ['sites'] });
    await world.agent('b', { subscriptions: ['sites'] });
    await world.check('http', {
      interval: 20,
      ttl: 50,
      subscriptions: ['sites'],
      round_robin: true,
      proxy_entity_name: 'shop',
    });
    await world.advance(300_000);
    assert.deepEqual(
      world.toldOf('shop', 'http').filter(({ status }) => status !== 0),
      [],
    );
    for (const agent of world.agents) {
      assert.ok(agent.requests.length >= 5, `${agent.name} ran ${agent.requests.length} times`);
      agent.die();
    }
    await world.advance(60_000);
    assert.equal(world.toldOf('shop', 'http').at(-1)?.status, 1);
    await world.stop();
  });

  test('is not alerted about while the keepalive of its agent fails, and waits again after the next result', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { warningSeconds: 30 });
    await world.post(backup, { entity_class: 'agent' });
    agent.die();
    await world.advance(300_000);
    assert.deepEqual(
      timeline(world, 'web-01', 'backup'),
      ['0 s: 0'],
      'one alert, from the keepalive, is enough',
    );
    agent.revive();
    await world.post(backup, { entity_class: 'agent' });
    await world.advance(41_000);
    assert.equal(timeline(world, 'web-01', 'backup').at(-1), '340 s: 1');
    await world.stop();
  });

  test('is silenced like any other failure', async () => {
    const world = await World.open();
    await world.silence({ check: 'backup' });
    await world.post(backup);
    await world.advance(41_000);
    const failure = world.toldOf('web-01', 'backup').at(-1)?.event.check;
    assert.deepEqual([failure?.status, failure?.is_silenced, failure?.silenced], [1, true, ['*:backup']]);
    await world.stop();
  });
});

test('a TTL does not run out while the backend stands still, and is reported when the silence goes on', async () => {
  const world = await World.open();
  await world.post(backup);
  await world.advance(10_000);
  world.clock.pause(100_000);
  await world.quiet();
  assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0']);
  // What was sent meanwhile is read now.
  await world.post(backup);
  await world.advance(39_000);
  assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '110 s: 0']);
  await world.advance(2_000);
  assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '110 s: 0', '150 s: 1']);
  await world.stop();
});

describe('a TTL over a restart', () => {
  test('keeps what was left of it', async () => {
    const world = await World.open();
    await world.post(backup);
    await world.advance(10_000);
    await world.crash();
    await world.advance(5_000);
    await world.start();
    await world.advance(24_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0']);
    await world.advance(2_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '40 s: 1']);
    await world.stop();
  });

  test('that ran out while the backend was down begins anew, and is reported in the end', async () => {
    const world = await World.open();
    await world.post(backup);
    await world.crash();
    await world.advance(100_000);
    await world.start();
    await world.advance(39_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0']);
    await world.advance(2_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '140 s: 1']);
    await world.stop();
  });

  test('that was expired before goes on being reported', async () => {
    const world = await World.open();
    await world.post(backup);
    await world.advance(45_000);
    await world.crash();
    await world.start();
    await world.advance(80_000);
    assert.deepEqual(timeline(world, 'web-01', 'backup'), ['0 s: 0', '40 s: 1', '80 s: 1', '120 s: 1']);
    await world.stop();
  });
});
