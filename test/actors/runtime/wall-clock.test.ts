// Promise 9: the wall clock is set, and neither storms nor stalls anything. A whole backend on a clock turned by hand;
// monotonic time does not notice.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stepUntilAsync } from '../../eventually.ts';
import { type Json, recorder, World } from '../engine/world.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

interface Run {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** A backend with one agent, and when it was asked for each check. */
const observed = async (checks: Record<string, Json>) => {
  const world = await World.open();
  await world.define('handlers', 'record', recorder);
  const runs = new Map<string, Run[]>();
  for (const [name, fields] of Object.entries(checks)) {
    await world.check(name, fields);
    runs.set(name, []);
  }
  await world.agent('web-01', {
    keepaliveSeconds: 20,
    warningSeconds: 60,
    onRequest: (_agent, check) =>
      runs.get(check)?.push({ wallMs: world.nowMs, monotonicMs: world.clock.monotonicMs() }),
  });
  return { world, runsOf: (check: string): Run[] => runs.get(check) ?? [] };
};

const gaps = (runs: readonly Run[]): number[] =>
  runs.slice(1).map((run, place) => run.monotonicMs - (runs[place]?.monotonicMs ?? 0));

const jumps = [-dayMs, -hourMs, hourMs, dayMs];
const name = (jumpMs: number): string => `${jumpMs / hourMs} h`;

for (const jumpMs of jumps) {
  describe(`the wall clock set by ${name(jumpMs)}`, () => {
    test('neither adds nor drops a run of an interval check', async () => {
      const { world, runsOf } = await observed({ interval: { interval: 60 } });
      await world.advance(10 * minuteMs + 7_000);
      world.clock.jumpWall(jumpMs);
      await world.advance(10 * minuteMs);
      const all = gaps(runsOf('interval'));
      assert.ok(all.length >= 18);
      assert.deepEqual(new Set(all), new Set([minuteMs]));
      await world.stop();
    });

    test('lets a cron check go on at the next match on the wall', async () => {
      const { world, runsOf } = await observed({ cron: { interval: 0, cron: 'TZ=UTC */5 * * * *' } });
      await world.advance(12 * minuteMs + 30_000);
      assert.equal(runsOf('cron').length, 2);
      world.clock.jumpWall(jumpMs);
      const setAtMs = world.nowMs;
      await world.advance(20 * minuteMs);
      const after = runsOf('cron').slice(2);
      const caughtUp = after.filter(({ wallMs }) => wallMs - setAtMs <= 1_000);
      assert.equal(caughtUp.length, jumpMs > 0 ? 1 : 0, 'the run whose time was skipped, once');
      const regular = after.slice(caughtUp.length);
      assert.deepEqual(
        regular.map(({ wallMs }) => wallMs - Math.ceil(setAtMs / (5 * minuteMs)) * 5 * minuteMs),
        [0, 5 * minuteMs, 10 * minuteMs, 15 * minuteMs],
      );
      await world.stop();
    });

    test('tells nobody that an agent fell silent, and a TTL that is kept does not run out', async () => {
      const { world } = await observed({ ttl: { interval: 60, ttl: 90 } });
      await world.advance(5 * minuteMs);
      world.clock.jumpWall(jumpMs);
      await world.advance(5 * minuteMs);
      assert.deepEqual(
        world.told.filter(({ check, status }) => status !== 0 && check !== 'registration'),
        [],
      );
      await world.stop();
    });

    test('lets a silent agent be found after its timeout, as if nothing had happened', async () => {
      const { world } = await observed({});
      await world.advance(minuteMs);
      world.agents[0]?.die();
      await world.advance(10_000);
      world.clock.jumpWall(jumpMs);
      const alerts = () => world.toldOf('web-01', 'keepalive').filter(({ status }) => status > 0).length;
      await world.advance(29_000);
      assert.equal(alerts(), 0, '39 s after it died, at most 59 s after its last sign of life');
      await world.advance(21_000);
      assert.equal(alerts(), 1);
      await world.stop();
    });

    test('lets the warning of a silent agent become critical at its time, no sooner and no later', async () => {
      const { world } = await observed({});
      const agent = await world.agent('db-01', {
        keepaliveSeconds: 20,
        warningSeconds: 60,
        criticalSeconds: 90,
      });
      await world.advance(minuteMs);
      agent.die();
      const statuses = () => world.toldOf('db-01', 'keepalive').flatMap(({ status }) => status || []);
      const diedMs = world.clock.monotonicMs();
      await stepUntilAsync(
        'the alert',
        () => statuses().length > 0,
        () => world.advance(1_000),
        200,
      );
      assert.ok(world.clock.monotonicMs() - diedMs <= minuteMs);
      world.clock.jumpWall(jumpMs);
      await world.advance(28_000);
      assert.deepEqual(statuses(), [1]);
      await world.advance(3_000);
      assert.deepEqual(statuses(), [1, 2]);
      await world.stop();
    });

    test('lets a TTL run out at its time', async () => {
      const world = await World.open();
      await world.post({ name: 'backup', ttl: 60, interval: 20 });
      await world.advance(10_000);
      world.clock.jumpWall(jumpMs);
      await world.advance(49_000);
      assert.equal(world.toldOf('web-01', 'backup').length, 1);
      await world.advance(2_000);
      assert.deepEqual(
        world.toldOf('web-01', 'backup').map(({ status }) => status),
        [0, 1],
      );
      await world.stop();
    });
  });
}

test('a cron check of once a day runs at its time of day, whenever the clock was set', async () => {
  const { world, runsOf } = await observed({ daily: { interval: 0, cron: 'TZ=UTC 0 3 * * *' } });
  await world.advance(hourMs);
  world.clock.jumpWall(hourMs);
  await world.advance(59 * minuteMs);
  assert.deepEqual(runsOf('daily'), [], 'it is 02:59 on the wall');
  world.clock.jumpWall(-2 * hourMs);
  await world.advance(2 * hourMs);
  assert.deepEqual(runsOf('daily'), [], 'it is 02:59 once more');
  await world.advance(minuteMs);
  assert.equal(runsOf('daily').length, 1);
  assert.equal((runsOf('daily')[0]?.wallMs ?? 0) % dayMs, 3 * hourMs);
  await world.stop();
});

test('a run whose time of day was skipped comes at once, and once', async () => {
  const { world, runsOf } = await observed({ daily: { interval: 0, cron: 'TZ=UTC 0 3 * * *' } });
  await world.advance(2 * hourMs + 30 * minuteMs);
  world.clock.jumpWall(hourMs);
  await world.advance(hourMs);
  assert.equal(runsOf('daily').length, 1);
  await world.stop();
});

describe('a silence ends at its time on the wall', () => {
  for (const jumpMs of [hourMs, -hourMs]) {
    test(`when that is set by ${name(jumpMs)}`, async () => {
      const world = await World.open();
      const endSeconds = Math.floor(world.nowMs / 1_000) + 30 * 60;
      await world.silence({ check: 'cpu', expire_at: endSeconds });
      await world.advance(10 * minuteMs);
      world.clock.jumpWall(jumpMs);
      const stored = () => world.backend.resources.list('silenced').items.length;
      await world.advance(2_000);
      assert.equal(stored(), jumpMs > 0 ? 0 : 1);
      await world.advance(30 * minuteMs);
      assert.equal(stored(), jumpMs > 0 ? 0 : 1);
      await world.advance(60 * minuteMs);
      assert.equal(stored(), 0);
      await world.stop();
    });
  }
});
