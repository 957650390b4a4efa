// The watchdog on the composed backend: what stopped is noticed, told, and started again; what merely rests is left alone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { World } from './world.ts';

const platform = 'backend-under-test';
const id = 'schedule:default/cpu';

const kill = (world: World): Promise<unknown> =>
  world.drive(world.backend.runtime.supervisor('schedules')?.stopChild(id) ?? Promise.resolve());

describe('watchdog-notices-stopped-check', () => {
  const ways: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
    ['whose actor is gone', kill],
    [
      'whose actor took itself for deleted',
      async (world) => world.backend.runtime.registry.tell(id, { type: 'check.removed' }),
    ],
    [
      'whose tick was lost',
      async (world) => {
        // Another timer than ours would have to forget it; a definition without a time is as good.
        const config = world.backend.resources.get('checks', 'default', 'cpu');
        const never = { ...config, interval: 0, cron: '0 0 30 2 *' };
        world.backend.runtime.registry.tell(id, {
          type: 'check.defined',
          config: never,
          nowMs: world.nowMs,
        } as never);
      },
    ],
  ];
  for (const [what, stop] of ways) {
    test(`a check ${what}`, async () => {
      const world = await World.open();
      const agent = await world.agent('web-01');
      await world.check('cpu', { interval: 10 });
      await world.check('disk', { interval: 10 });
      await world.advance(60_000);
      const ran = () => agent.requests.filter(({ check }) => check === 'cpu').length;
      assert.equal(ran(), 6);
      await stop(world);
      await world.advance(40_000);
      assert.ok(ran() >= 7, 'it runs again');
      const before = ran();
      await world.advance(60_000);
      assert.equal(ran(), before + 6);
      assert.equal(agent.requests.filter(({ check }) => check === 'disk').length, 16);

      assert.equal(world.warnings(/did not run when they were due/).length, 1);
      const { checksFoundStopped, checksStopped } = world.backend.gauges();
      assert.deepEqual([checksFoundStopped, checksStopped], [1, 0]);
      assert.deepEqual(
        world.toldOf(platform, 'watchdog').map(({ status }) => status),
        [2, 0],
      );
      assert.match(
        world.toldOf(platform, 'watchdog')[0]?.output ?? '',
        /^default\/cpu was due at 2023-11-12T/,
      );
      const event = await world.drive(world.backend.readEvent('mon-system', platform, 'watchdog'));
      assert.equal(event?.entity.entity_class, 'backend');
      await world.stop();
    });
  }
});

test('an event of the watchdog that a killed backend left failing is resolved by the next one', async () => {
  const world = await World.open();
  await world.check('cpu', { interval: 10 });
  await world.advance(60_000);
  await kill(world);
  for (let rounds = 0; world.toldOf(platform, 'watchdog').length === 0; rounds += 1) {
    assert.ok(rounds < 100, 'the watchdog noticed');
    await world.advance(1_000);
  }
  await world.crash();
  await world.start();
  await world.advance(120_000);
  assert.deepEqual(world.toldOf(platform, 'watchdog').at(-1)?.status, 0);
  const event = await world.drive(world.backend.readEvent('mon-system', platform, 'watchdog'));
  assert.equal(event?.check.status, 0);
  await world.stop();
});

describe('the watchdog is silent about', () => {
  const quiet = async (world: World): Promise<void> => {
    assert.deepEqual(
      world.told.filter(({ check }) => check === 'watchdog'),
      [],
    );
    assert.equal(world.backend.gauges()['checksFoundStopped'], 0);
    assert.ok((world.backend.gauges()['watchdogLooks'] ?? 0) > 10, 'it looked');
    await world.stop();
  };

  test('checks that run, rest, are unpublished, changed or deleted', async () => {
    const world = await World.open();
    const day = '2023-11-12';
    const rests = { begin: `${day}T00:02:00Z`, end: `${day}T00:05:00Z` };
    await world.check('runs', { interval: 10 });
    await world.check('rests', { interval: 10, subdues: [rests] });
    await world.check('waits', { interval: 0, cron: '0 * * * *' });
    await world.check('seldom', { interval: 86_400 });
    await world.check('unpublished', { interval: 10, publish: false });
    await world.check('deleted', { interval: 10 });
    await world.check('changed', { interval: 10 });
    await world.advance(120_000);
    await world.remove('checks', 'deleted');
    await world.check('changed', { interval: 300 });
    await world.check('rests', { interval: 10, publish: false, subdues: [rests] });
    await world.advance(60_000);
    await world.check('rests', { interval: 10, subdues: [rests] });
    await world.advance(3_600_000);
    await quiet(world);
  });

  test('a pause of the whole process, and a clock that is set', async () => {
    const world = await World.open();
    await world.check('runs', { interval: 10 });
    await world.advance(60_000);
    world.clock.pause(300_000);
    await world.advance(60_000);
    world.clock.jumpWall(3_600_000);
    await world.advance(60_000);
    world.clock.jumpWall(-7_200_000);
    await world.advance(60_000);
    await quiet(world);
  });

  test('a check that nobody listens to', async () => {
    const world = await World.open();
    await world.check('runs', { interval: 10, subscriptions: ['nobody'] });
    await world.advance(120_000);
    await quiet(world);
  });
});
