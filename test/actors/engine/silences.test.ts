// Silences through the whole engine: when they hold, what they hide, how they end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silencedSchema } from '../../../src/model/silence/silenced.ts';
import { fc } from '../../property.ts';
import { handler, open } from './real-pipelines.ts';
import { type Json, World } from './world.ts';

/** Status and whether silenced, for everything the pipelines were told of a check. */
const seen = (world: World, entity: string, check = 'cpu'): string[] =>
  world
    .toldOf(entity, check)
    .map(({ status, event }) => `${status}${event.check?.is_silenced === true ? ' silenced' : ''}`);

const nowSeconds = (world: World): number => Math.floor(world.nowMs / 1000);

const stored = (world: World): readonly string[] =>
  world.backend.resources.list('silenced').items.map((item) => (item['metadata'] as { name: string }).name);

describe('a silence', () => {
  test('holds from its begin to its end, and is gone after it', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', begin: nowSeconds(world) + 60, expire_at: nowSeconds(world) + 120 });
    for (let step = 0; step < 4; step += 1) {
      await world.post({ status: 1 });
      await world.advance(50_000);
    }
    // At 0, 50, 100 and 150 s.
    assert.deepEqual(seen(world, 'web-01'), ['1', '1', '1 silenced', '1']);
    assert.deepEqual(stored(world), []);
    await world.stop();
  });

  test('covers events in the very second of its end and is still there; after it neither', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', expire_at: nowSeconds(world) + 60 });
    await world.advance(60_000);
    await world.post({ status: 1 });
    assert.deepEqual(stored(world), ['*:cpu']);
    await world.advance(1_000);
    await world.post({ status: 1 });
    assert.deepEqual([seen(world, 'web-01'), stored(world)], [['1 silenced', '1'], []]);
    await world.stop();
  });

  test('shows at once on what is read, in both directions', async () => {
    const world = await World.open();
    await world.post({ status: 1 });
    await world.silence({ check: 'cpu' });
    assert.deepEqual((await world.read('web-01', 'cpu'))?.check.silenced, ['*:cpu']);
    await world.remove('silenced', '*:cpu');
    assert.equal((await world.read('web-01', 'cpu'))?.check.is_silenced, false);
    await world.stop();
  });

  test('that ends on resolve hides the incident, not its resolution, and not the next incident', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', expire_on_resolve: true });
    for (const status of [1, 2, 0, 1]) await world.post({ status });
    assert.deepEqual(seen(world, 'web-01'), ['1 silenced', '2 silenced', '0', '1']);
    assert.deepEqual(stored(world), []);
    await world.stop();
  });

  test('without that option hides the resolution too, and stays', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu' });
    for (const status of [1, 0, 1]) await world.post({ status });
    assert.deepEqual(seen(world, 'web-01'), ['1 silenced', '0 silenced', '1 silenced']);
    assert.deepEqual(stored(world), ['*:cpu']);
    await world.stop();
  });

  test('survives a restart, its end included', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', expire_at: nowSeconds(world) + 100 });
    await world.crash();
    await world.start();
    await world.post({ status: 1 });
    await world.advance(110_000);
    await world.post({ status: 1 });
    assert.deepEqual(seen(world, 'web-01'), ['1 silenced', '1']);
    assert.deepEqual(stored(world), []);
    await world.stop();
  });

  test('whose end came while the backend was down is over', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', expire_at: nowSeconds(world) + 100 });
    await world.crash();
    await world.advance(200_000);
    await world.start();
    await world.post({ status: 1 });
    assert.deepEqual(seen(world, 'web-01'), ['1']);
    assert.deepEqual(stored(world), []);
    await world.stop();
  });

  test('can be made longer while it holds', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', expire_at: nowSeconds(world) + 100 });
    await world.silence({ check: 'cpu', expire_at: nowSeconds(world) + 1_000 });
    await world.advance(500_000);
    await world.post({ status: 1 });
    assert.deepEqual(seen(world, 'web-01'), ['1 silenced']);
    await world.stop();
  });
});

describe('a silence with windows', () => {
  // The simulated time begins on a Sunday, at midnight.
  const windows = [{ days: ['sunday'], begin: '00:02', end: '00:07', time_zone: 'UTC' }];

  test('holds while one of them is open, and the lists follow', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', windows });
    const listed: boolean[] = [];
    for (let step = 0; step < 5; step += 1) {
      await world.post({ status: 1 });
      listed.push((await world.read('web-01', 'cpu'))?.check.is_silenced ?? false);
      await world.advance(110_000);
    }
    // At 00:00:00, 00:01:50, 00:03:40, 00:05:30, 00:07:20.
    assert.deepEqual(seen(world, 'web-01'), ['1', '1', '1 silenced', '1 silenced', '1']);
    assert.deepEqual(listed, [false, false, true, true, false]);
    assert.deepEqual(stored(world), ['*:cpu']);
    await world.stop();
  });

  test('goes on after a restart', async () => {
    const world = await World.open();
    await world.silence({ check: 'cpu', windows });
    await world.crash();
    await world.start();
    await world.post({ status: 1 });
    await world.advance(200_000);
    assert.equal(world.backend.events.counts({ namespace: 'default' }).silenced.warning, 1);
    await world.advance(7 * 86_400_000);
    assert.equal(world.backend.events.counts({ namespace: 'default' }).silenced.warning, 1);
    await world.advance(300_000);
    assert.equal(world.backend.events.counts({ namespace: 'default' }).silenced.warning, 0);
    await world.stop();
  });
});

describe('of silences it is known', () => {
  const backups = {
    metadata: { name: 'backups', namespace: 'default' },
    selector: "event.check.name == 'cpu' && event.entity.name == 'web-01'",
    reason: 'backup',
    creator: 'ada',
  };

  test('what they cover and held back, also after a restart', async (t) => {
    const { world } = await open(t);
    await handler(world, 'mail', { command: 'true', filters: ['not_silenced'] });
    await world.define('silenced', 'backups', silencedSchema.parse(backups));
    await world.silence({ check: 'disk' });
    for (const status of [1, 2]) await world.post({ status, handlers: ['mail'] });
    await world.post({ status: 1 }, { metadata: { name: 'web-02', namespace: 'default' } });
    const told = async () =>
      (await world.drive(world.backend.silences('default'))).silences.map(
        ({ silence, phase, covers, suppressed }) => [silence.metadata.name, phase, covers, suppressed],
      );
    const expected = [
      ['*:disk', 'active', 0, 0],
      ['backups', 'active', 1, 2],
    ];
    assert.deepEqual(await told(), expected);
    assert.deepEqual((await world.read('web-01', 'cpu'))?.check.silenced, ['backups']);
    await world.advance(6_000);
    await world.crash();
    await world.start();
    assert.deepEqual(await told(), expected);
  });

  test('which ended, why and by whom, also after a restart', async () => {
    const world = await World.open();
    await world.define('silenced', 'backups', silencedSchema.parse(backups));
    await world.silence({ check: 'cpu', expire_on_resolve: true });
    await world.silence({ check: 'disk', expire_at: nowSeconds(world) + 10 });
    await world.post({ status: 1 });
    await world.post({ status: 0 });
    await world.advance(20_000);
    await world.drive(world.backend.clearSilence({ namespace: 'default', name: 'backups' }, 'bob'));
    const told = async () =>
      (await world.drive(world.backend.silences('default'))).ended.map(({ silence, why, by }) => [
        silence.metadata.name,
        why,
        by,
      ]);
    const expected = [
      ['backups', 'cleared', 'bob'],
      ['*:disk', 'timeOver', ''],
      ['*:cpu', 'resolved', ''],
    ];
    assert.deepEqual(await told(), expected);
    await world.advance(1_000);
    await world.crash();
    await world.start();
    assert.deepEqual(await told(), expected);
    // Made again, it is no longer one that ended.
    await world.silence({ check: 'disk' });
    assert.deepEqual((await told()).length, 2);
    await world.stop();
  });

  test('the last hundred that ended', async () => {
    const world = await World.open();
    for (let number = 0; number <= 100; number += 1) {
      await world.silence({ check: `check-${number}` });
      await world.advance(1_000);
      await world.remove('silenced', `*:check-${number}`);
    }
    const { ended } = await world.drive(world.backend.silences('default'));
    assert.deepEqual(
      [ended.length, ended.at(0)?.silence.check, ended.at(-1)?.silence.check],
      [100, 'check-100', 'check-1'],
    );
    await world.stop();
  });
});

test('the silences of an entity end when it is deleted, those of others stay', async () => {
  const world = await World.open();
  await world.post({ status: 1 });
  await world.silence({ subscription: 'entity:web-01' });
  await world.silence({ subscription: 'entity:web-02' });
  await world.silence({ check: 'cpu' });
  await world.drive(world.backend.deleteEntity('default', 'web-01'));
  assert.deepEqual(stored(world), ['*:cpu', 'entity:web-02:*']);
  await world.stop();
});

interface Match {
  readonly what: string;
  readonly silence: Json;
  readonly check: Json;
  readonly entity: Json;
  readonly silenced: boolean;
}

const matches: readonly Match[] = [
  {
    what: 'an entity by its own subscription',
    silence: { subscription: 'entity:web-01' },
    check: {},
    entity: {},
    silenced: true,
  },
  {
    what: 'not another entity',
    silence: { subscription: 'entity:web-02' },
    check: {},
    entity: {},
    silenced: false,
  },
  {
    what: 'a subscription that check and entity share',
    silence: { subscription: 'linux' },
    check: { subscriptions: ['linux'] },
    entity: { subscriptions: ['linux', 'db'] },
    silenced: true,
  },
  {
    what: 'not one that only the entity holds',
    silence: { subscription: 'db' },
    check: { subscriptions: ['linux'] },
    entity: { subscriptions: ['linux', 'db'] },
    silenced: false,
  },
  {
    what: 'one check of one entity',
    silence: { subscription: 'entity:web-01', check: 'cpu' },
    check: {},
    entity: {},
    silenced: true,
  },
  {
    what: 'not another check of that entity',
    silence: { subscription: 'entity:web-01', check: 'disk' },
    check: {},
    entity: {},
    silenced: false,
  },
  {
    what: 'every check by a star',
    silence: { subscription: 'linux', check: '*' },
    check: { subscriptions: ['linux'] },
    entity: { subscriptions: ['linux'] },
    silenced: true,
  },
  {
    what: 'a check everywhere by a star',
    silence: { subscription: '*', check: 'cpu' },
    check: {},
    entity: {},
    silenced: true,
  },
];

describe('a silence covers', () => {
  for (const { what, silence, check, entity, silenced } of matches) {
    test(what, async () => {
      const world = await World.open();
      await world.silence(silence);
      await world.post({ status: 2, ...check }, entity);
      assert.deepEqual(seen(world, 'web-01'), [silenced ? '2 silenced' : '2']);
      await world.stop();
    });
  }
});

test('silenced means silent at every moment between begin and end, and never outside', async () => {
  const moments = fc.record({
    begin: fc.integer({ min: 0, max: 40 }),
    lasts: fc.integer({ min: 1, max: 40 }),
    steps: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 }),
    crashes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(moments, async ({ begin, lasts, steps, crashes }) => {
      const world = await World.open();
      const from = nowSeconds(world) + begin;
      await world.silence({ check: 'cpu', begin: from, expire_at: from + lasts });
      const expected: string[] = [];
      for (const [index, step] of steps.entries()) {
        await world.advance(step * 1_000 + 500);
        if (crashes && index === 3) {
          await world.crash();
          await world.start();
        }
        await world.post({ status: 1 });
        const now = world.nowMs / 1000;
        expected.push(now >= from && now < from + lasts ? '1 silenced' : '1');
      }
      // Half seconds only: the sheet leaves the very second of the end to the silence.
      const told = seen(world, 'web-01');
      for (const [index, row] of told.entries()) {
        const edge = Math.abs((world.toldOf('web-01', 'cpu')[index]?.atMs ?? 0) / 1000 - (from + lasts)) <= 1;
        if (!edge) assert.equal(row, expected[index]);
      }
      assert.equal(told.length, expected.length);
      await world.stop();
    }),
    { numRuns: 60 },
  );
});
