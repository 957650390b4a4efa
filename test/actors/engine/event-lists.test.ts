// The list of what needs attention, through the whole engine: it follows results, deletions and silences, and a restart
// finds it again. Nothing that was not committed is ever in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchEvents } from '../../../src/actors/events/event-search.ts';
import { contextOf } from '../../../src/actors/runtime/inspection/snapshot.ts';
import type { CheckContext } from '../../../src/machines/check/check-facts.ts';
import { World } from './world.ts';

const attention = async (world: World): Promise<string[]> => {
  const asked = searchEvents(world.backend.events, {
    namespace: 'default',
    order: 'worst',
    severities: ['critical', 'warning', 'unknown'],
    silenced: false,
    limit: 100,
  });
  const { items, total } = await world.drive(asked);
  assert.equal(items.length, total);
  return items.map(({ key, event }) => `${key.slice('default/'.length)} ${event.check.status}`);
};

test('the list follows results and deletions, and is the same after a crash', async () => {
  const world = await World.open();
  await world.post({ name: 'cpu', status: 1 });
  await world.post({ name: 'disk', status: 2 });
  await world.post({ name: 'mem', status: 0 });
  assert.deepEqual(await attention(world), ['web-01/disk 2', 'web-01/cpu 1']);
  await world.drive(world.backend.deleteEvent('default', 'web-01', 'disk'));
  await world.post({ name: 'mem', status: 3 });
  const expected = ['web-01/cpu 1', 'web-01/mem 3'];
  assert.deepEqual(await attention(world), expected);
  world.backend.acceptEvent(world.event({ name: 'net', status: 2 })).catch(() => {});
  await world.crash();
  await world.start();
  assert.deepEqual(await attention(world), expected);
  const snapshot = world.backend.runtime.registry.peek('check:default/web-01/cpu') ?? assert.fail('no actor');
  assert.equal(
    world.backend.events.get('default/web-01/cpu')?.event,
    contextOf<CheckContext>(snapshot).event,
    'the list holds a copy of what its actor holds already',
  );
  await world.stop();
});

test('failing since is the first failure of the run, also when the history no longer has it, and after a restart', async (t) => {
  const world = await World.open();
  t.after(() => world.stop());
  const since = (): number | undefined => world.backend.events.get('default/web-01/cpu')?.since;
  await world.post({ status: 0 });
  await world.advance(60_000);
  const first = Math.floor(world.nowMs / 1000);
  for (let failures = 0; failures < 25; failures += 1) {
    await world.post({ status: 2 });
    await world.advance(60_000);
  }
  const { history = [] } = (await world.read('web-01', 'cpu'))?.check ?? {};
  assert.ok(history?.every(({ executed }) => executed > first));
  assert.equal(since(), first);
  await world.crash();
  await world.start();
  assert.equal(since(), first);
  await world.post({ status: 2 });
  assert.equal(since(), first);
  await world.stop();
  await world.start();
  assert.equal(since(), first);
});

test('a silence takes what it covers from the list from its begin to its end', async () => {
  const world = await World.open();
  await world.post({ name: 'cpu', status: 1 });
  const nowSeconds = Math.floor(world.nowMs / 1000);
  await world.silence({ check: 'cpu', begin: nowSeconds + 60, expire_at: nowSeconds + 120 });
  const seen: number[] = [];
  for (let step = 0; step < 4; step += 1) {
    seen.push((await attention(world)).length);
    await world.advance(50_000);
  }
  // At 0, 50, 100 and 150 s.
  assert.deepEqual(seen, [1, 1, 0, 1]);
  await world.stop();
});

test('an entity takes its events with it when it is deleted', async () => {
  const world = await World.open();
  await world.post({ name: 'cpu', status: 1 });
  await world.drive(world.backend.deleteEntity('default', 'web-01'));
  await world.quiet();
  assert.deepEqual(await attention(world), []);
  assert.equal(world.backend.events.size, 0);
  await world.stop();
});
