// Schedules through the whole engine: when agents are asked, which of them, and with what.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextIntervalRun } from '../../../src/machines/schedule/splay-rule.ts';
import { hookConfigSchema } from '../../../src/model/check/hook.ts';
import { assetSchema } from '../../../src/model/resource/asset.ts';
import { fc } from '../../property.ts';
import type { Agent } from './agent.ts';
import { startMs, World } from './world.ts';

const timesOf = (agent: Agent): string[] =>
  agent.requests.map(({ atMs }) => new Date(atMs).toISOString().slice(11, 19));

describe('a check', () => {
  test('runs at the phase its name gives it, whatever the restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[a-z]{1,12}$/),
        fc.integer({ min: 10, max: 120 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 3 }),
        async (name, interval, lives) => {
          const world = await World.open();
          const agent = await world.agent('web-01');
          await world.check(name, { interval });
          for (const seconds of lives) {
            await world.advance(seconds * 1_000);
            await world.crash();
            await world.start();
            agent.sendKeepalive();
          }
          await world.advance(interval * 3_000);
          for (const { atMs } of agent.requests) {
            assert.equal(nextIntervalRun(name, interval, atMs - 1), atMs);
          }
          assert.ok(agent.requests.length >= 3);
          await world.stop();
        },
      ),
      { numRuns: 8 },
    );
  });

  test('follows its cron schedule in its time zone', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01', { keepaliveSeconds: 1_800, warningSeconds: 10_000 });
    await world.check('nightly', { interval: 0, cron: 'CRON_TZ=Europe/Paris 30 3 * * *' });
    await world.advance(3 * 3_600_000);
    assert.deepEqual(timesOf(agent), ['02:30:00']);
    await world.stop();
  });

  test('takes a new interval, a new subscription and its unpublishing at once', async () => {
    const world = await World.open();
    const [web, db] = [
      await world.agent('web-01', { subscriptions: ['web'] }),
      await world.agent('db-01', { subscriptions: ['db'] }),
    ];
    await world.check('cpu', { interval: 3_600, subscriptions: ['web'] });
    await world.advance(60_000);
    await world.check('cpu', { interval: 10, subscriptions: ['web'] });
    await world.advance(30_000);
    await world.check('cpu', { interval: 10, subscriptions: ['db'] });
    await world.advance(30_000);
    await world.check('cpu', { interval: 10, subscriptions: ['db'], publish: false });
    await world.advance(30_000);
    assert.deepEqual([web.requests.length, db.requests.length], [3, 3]);
    await world.stop();
  });

  test('rests in its subdue windows and runs before and after', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    const day = new Date(startMs).toISOString().slice(0, 10);
    const subdues = [{ begin: `${day}T00:01:00Z`, end: `${day}T00:02:00Z` }];
    await world.check('cpu', { interval: 10, subdues });
    await world.advance(180_000);
    const seconds = agent.requests.map(({ atMs }) => (atMs - startMs) / 1_000);
    assert.ok(seconds.every((at) => at < 60 || at >= 121));
    assert.equal(seconds.filter((at) => at < 60).length, 6);
    assert.ok(seconds.filter((at) => at >= 121).length >= 5);
    await world.stop();
  });

  test('is run on demand by those who are named, published or not', async () => {
    const world = await World.open();
    const [a, b] = [await world.agent('a'), await world.agent('b')];
    await world.check('cpu', { interval: 600, publish: false, round_robin: true });
    const { issued, warnings } = await world.drive(
      world.backend.executeCheck('default', 'cpu', ['entity:b']),
    );
    assert.deepEqual(warnings, []);
    await world.quiet();
    assert.deepEqual([a.requests.length, b.requests.length], [0, 1]);
    assert.equal(b.requests[0]?.issued, issued);
    assert.equal(b.requests[0]?.request.config.scheduler, 'etcd');
    await world.advance(1_000);
    await world.drive(world.backend.executeCheck('default', 'cpu'));
    await world.quiet();
    assert.deepEqual([a.requests.length, b.requests.length], [1, 2], 'a round robin is asked of all');
    const unheard = await world.drive(world.backend.executeCheck('default', 'cpu', ['entity:c']));
    assert.deepEqual(unheard.warnings, [
      'subscriptions: no connected agent has the subscription entity:c, so nobody runs it now',
    ]);
    await assert.rejects(world.drive(world.backend.executeCheck('default', 'nothing')), { kind: 'notFound' });
    await world.stop();
  });

  test('is run again in the next second when it was just run: agents drop the second request of one second', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    await world.check('cpu', { interval: 600, publish: false });
    const issued: number[] = [];
    for (let wish = 0; wish < 3; wish += 1)
      issued.push((await world.drive(world.backend.executeCheck('default', 'cpu'))).issued);
    const [first = 0] = issued;
    assert.deepEqual(issued, [first, first + 1, first + 1], 'two wishes of one second are one run');
    await world.advance(1_000);
    assert.deepEqual([...new Set(agent.requests.map((request) => request.issued))], [first, first + 1]);
    await world.stop();
  });

  test('brings its hooks and assets, by their exact names; what is missing is left out', async () => {
    const world = await World.open();
    const agent = await world.agent('web-01');
    const named = (name: string) => ({ metadata: { name, namespace: 'default' } });
    for (const name of ['ps', 'ps-2']) {
      await world.define(
        'hooks',
        name,
        hookConfigSchema.parse({ ...named(name), command: name, timeout: 5 }),
      );
    }
    for (const name of ['tools', 'tools-2']) {
      await world.define(
        'assets',
        name,
        assetSchema.parse({ ...named(name), url: 'http://127.0.0.1/x.tar.gz', sha512: 'a'.repeat(128) }),
      );
    }
    await world.check('cpu', {
      interval: 10,
      check_hooks: [{ critical: ['ps', 'gone'] }],
      runtime_assets: ['tools', 'lost'],
    });
    await world.advance(10_000);
    const { hooks, assets } = agent.requests[0]?.request ?? {};
    assert.deepEqual(
      hooks?.map(({ metadata }) => metadata.name),
      ['ps'],
    );
    assert.deepEqual(
      assets?.map(({ metadata }) => metadata.name),
      ['tools'],
    );
    assert.equal(world.warnings(/asset "lost" was requested but does not exist/).length, 1);
    await world.stop();
  });
});

test('an event with metrics alone is handled and not stored', async () => {
  const world = await World.open();
  const { check: _check, ...event } = world.event({});
  const metrics = { handlers: ['graphs'], points: [{ name: 'load', value: 1, timestamp: 1 }] };
  await world.drive(world.backend.acceptEvent({ ...event, metrics }));
  await world.quiet();
  assert.deepEqual(
    world.told.map(({ check, event: told }) => [check, told.metrics?.handlers]),
    [['', ['graphs']]],
  );
  assert.deepEqual((await world.drive(world.backend.readEvents({ namespace: 'default' }))).items, []);
  await world.stop();
});

test('metrics of a check are told and not stored', async () => {
  const world = await World.open();
  const metrics = { handlers: ['graphs'], points: [{ name: 'load', value: 1, timestamp: 1 }] };
  await world.post({ handlers: [] }, {}, { metrics });
  assert.deepEqual(world.told[0]?.event.metrics, metrics);
  const stored = await world.read('web-01', 'cpu');
  assert.notEqual(stored, undefined);
  assert.equal(stored?.metrics, undefined);
  await world.stop();
});
