// Results and their deliveries through the whole engine: counts, order, and at least once over a crash.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxCheckMail } from '../../../src/actors/families/kit/limits.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { StoreError } from '../../../src/store/snapshot-store.ts';
import { fc } from '../../property.ts';
import { World } from './world.ts';

/** `status: occurrences/watermark`, as the reference product counts them. */
const sequence = '0:1/1 0:2/2 1:1/1 1:2/2 1:3/3 2:1/3 2:2/3 2:3/3 2:4/4 0:1/4 2:1/1'.split(' ');

const countsOf = (world: World): string[] =>
  world.toldOf('web-01', 'cpu').map(({ status, event }) => {
    const { occurrences, occurrences_watermark: watermark } = event.check ?? {};
    return `${status}:${occurrences}/${watermark}`;
  });

describe('results', () => {
  test('are counted as the sheet says, over restarts as well', async () => {
    const world = await World.open();
    for (const [index, step] of sequence.entries()) {
      await world.post({ status: Number(step.split(':')[0]) });
      if (index % 3 === 2) {
        await world.crash();
        await world.start();
      }
    }
    assert.deepEqual(countsOf(world), sequence);
    await world.stop();
  });

  test('that alternate flap between the thresholds, and are filterable as such', async () => {
    const world = await World.open();
    for (let run = 0; run < 30; run += 1) {
      await world.post({ status: run % 2, low_flap_threshold: 20, high_flap_threshold: 60 });
    }
    assert.equal((await world.read('web-01', 'cpu'))?.check.state, 'flapping');
    assert.equal((await world.read('web-01', 'cpu'))?.check.total_state_change, 98);
    for (let run = 0; run < 18; run += 1) {
      await world.post({ status: 0, low_flap_threshold: 20, high_flap_threshold: 60 });
    }
    assert.equal((await world.read('web-01', 'cpu'))?.check.state, 'passing');
    await world.stop();
  });

  test('sent twice with one id count once', async () => {
    const world = await World.open();
    const id = '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e';
    await world.post({ status: 2 }, {}, { id });
    await world.post({ status: 2 }, {}, { id });
    assert.deepEqual(countsOf(world), ['2:1/1']);
    await world.stop();
  });

  test('about an unknown entity make it a proxy entity, and a handler-less one tells nobody', async () => {
    const world = await World.open();
    await world.post({ handlers: [] }, { name: 'router-1' });
    const entity = await world.drive(world.backend.readEntity('default', 'router-1'));
    assert.deepEqual([entity?.entity_class, entity?.subscriptions], ['proxy', ['entity:router-1']]);
    assert.deepEqual(world.told, []);
    await world.stop();
  });
});

describe('delivery', () => {
  test('is one at a time and in order for each check, whatever the handlers take', async () => {
    const order: string[] = [];
    const open: (() => void)[] = [];
    const world = await World.open({
      handle: (event) => {
        order.push(`${event.check?.metadata.name} ${event.check?.output}`);
        return new Promise((resolve) => open.push(resolve));
      },
    });
    for (const output of ['1', '2', '3']) {
      await world.post({ output, status: 1 });
      await world.post({ output, name: 'disk', status: 1 });
    }
    assert.deepEqual(order, ['cpu 1', 'disk 1'], 'the next of a check waits for the one before');
    for (let round = 0; round < 6; round += 1) {
      // The newest first: the two checks do not wait for each other.
      open.pop()?.();
      await world.quiet();
    }
    const of = (check: string) => order.filter((row) => row.startsWith(check));
    assert.deepEqual(of('cpu'), ['cpu 1', 'cpu 2', 'cpu 3']);
    assert.deepEqual(of('disk'), ['disk 1', 'disk 2', 'disk 3']);
    await world.stop();
  });

  test('is repeated after a crash between handling and noting it, in order, and nothing is left out', async () => {
    let hangs = true;
    const handled: string[] = [];
    const world = await World.open({
      handle: (event) => {
        handled.push(event.check?.output ?? '');
        return hangs ? new Promise(() => {}) : undefined;
      },
    });
    for (const output of ['1', '2', '3']) await world.post({ output, status: 1 });
    assert.deepEqual(handled, ['1']);
    await world.crash();
    hangs = false;
    await world.start();
    assert.deepEqual(handled, ['1', '1', '2', '3']);
    await world.crash();
    await world.start();
    assert.deepEqual(handled, ['1', '1', '2', '3'], 'what was noted is not repeated');
    await world.stop();
  });

  test('over crashes at any moment: every incident is told at least once, in order, no more often than it crashed', async () => {
    const moments = fc.array(fc.record({ status: fc.nat({ max: 2 }), crash: fc.nat({ max: 6 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(moments, fc.integer(), async (posts, seed) => {
        const world = await World.open({ seed });
        const acknowledged: string[] = [];
        let crashes = 0;
        for (const [index, { status, crash }] of posts.entries()) {
          const event = world.event({ status, output: String(index) });
          const sent = world.backend.acceptEvent(event).then(
            () => acknowledged.push(String(index)),
            () => {},
          );
          if (crash > 3) {
            // A few turns on the way from the mailbox to the note that it was delivered.
            for (let turns = 0; turns < crash - 3; turns += 1) {
              world.clock.runTurns();
              await new Promise((resolve) => setImmediate(resolve));
            }
            await world.crash();
            crashes += 1;
            await world.start();
          } else {
            await world.quiet();
            await sent;
          }
        }
        const told = world.toldOf('web-01', 'cpu').map(({ output }) => output);
        for (const id of acknowledged) assert.ok(told.includes(id), `${id} was acknowledged and nobody told`);
        assert.ok(told.length <= posts.length + crashes, `${told.length} told, ${crashes} crashes`);
        assert.deepEqual(
          told.map(Number),
          told.map(Number).sort((a, b) => a - b),
        );
        await world.stop();
      }),
      { numRuns: 60 },
    );
  });

  test('goes on after its end could not be noted because the check was flooded', async () => {
    const open: (() => void)[] = [];
    const world = await World.open({ handle: () => new Promise((resolve) => open.push(resolve)) });
    await world.post({ status: 1 });
    const refused: unknown[] = [];
    // No turn passes: all of them wait in the mailbox of the check, as many as it holds and one more.
    const flood = Array.from({ length: maxCheckMail + 1 }, () =>
      world.backend.acceptEvent(world.event({ status: 1 })).catch((error) => refused.push(error)),
    );
    open[0]?.();
    for (let round = 0; round < 10; round += 1) await Promise.resolve();
    await world.drive(Promise.all(flood));
    assert.equal(refused.length, 1, 'the check was flooded');
    await world.advance(5_000);
    assert.equal(open.length, 2, 'the next delivery is under way');
    assert.equal(world.backend.runtime.stats().faults, 0);
    await world.stop();
  });

  test('of an event that is deleted meanwhile ends without a fault', async () => {
    const open: (() => void)[] = [];
    const world = await World.open({ handle: () => new Promise((resolve) => open.push(resolve)) });
    await world.post({ status: 2 });
    await world.drive(world.backend.deleteEvent('default', 'web-01', 'cpu'));
    for (const finish of open) finish();
    await world.quiet();
    assert.equal(world.backend.runtime.stats().faults, 0);
    assert.equal(await world.read('web-01', 'cpu'), undefined);
    await world.stop();
  });

  test('of an event that is deleted before anybody could be told happens all the same, over a crash as well', async () => {
    const outage = { now: true };
    const world = await World.open({ isOutage: () => outage.now });
    for (const status of [1, 2]) await world.post({ status });
    await world.drive(world.backend.deleteEvent('default', 'web-01', 'cpu'));
    await world.crash();
    outage.now = false;
    await world.start();
    await world.advance(10_000);
    assert.deepEqual(
      world
        .toldOf('web-01', 'cpu')
        .map(({ status }) => status)
        .sort(),
      [1, 2],
    );
    await world.crash();
    await world.start();
    await world.advance(10_000);
    assert.equal(world.told.length, 2, 'told, and not kept');
    await world.stop();
  });

  test('of a deleted event that ends late is not taken for that of the event that came after it', async () => {
    const ends: (() => void)[] = [];
    const world = await World.open({ handle: () => new Promise<void>((resolve) => ends.push(resolve)) });
    await world.post({ status: 1 });
    await world.drive(world.backend.deleteEvent('default', 'web-01', 'cpu'));
    await world.post({ status: 2 });
    ends[0]?.();
    await world.quiet();
    await world.crash();
    await world.start();
    await world.advance(10_000);
    assert.deepEqual(
      world.toldOf('web-01', 'cpu').map(({ status }) => status),
      [1, 2, 2],
    );
    for (const end of ends) end();
    await world.quiet();
    await world.stop();
  });

  test('does not wait for a store that cannot write: an alert goes out all the same', async () => {
    const stores: MemoryStore[] = [];
    const world = await World.open({
      store: (disk) => {
        const store = new MemoryStore({ disk });
        stores.push(store);
        return store;
      },
    });
    await world.post({ status: 0 });
    stores[0]?.fail(new StoreError('unavailable', 'the store is away'));
    const refused = world.backend.acceptEvent(world.event({ status: 2 }));
    await assert.rejects(world.drive(refused), { kind: 'unavailable' });
    assert.equal(world.toldOf('web-01', 'cpu').at(-1)?.status, 2);
    stores[0]?.recover();
    await world.advance(10_000);
    assert.equal(
      (await world.read('web-01', 'cpu'))?.check.status,
      2,
      'written as soon as the store is back',
    );
    await world.stop();
  });
});
