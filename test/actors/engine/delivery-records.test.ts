// Deliveries as records of their own: the record of a check names them, each is there until it is finished, and whatever a
// crash leaves behind is told or cleared away.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { repeatKeyOf } from '../../../src/model/event/repeat-key.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import {
  type RecordKind,
  type StoredRecord,
  StoreError,
  type StoreWrite,
  type WriteOutcome,
} from '../../../src/store/snapshot-store.ts';
import { idOf } from '../../machines/samples.ts';
import { fc } from '../../property.ts';
import { type Json, World } from './world.ts';

const check = 'default/web-01/cpu';

const keysOf = (world: World): string[] => [...world.disk.cells('delivery').keys()].sort();

const storedCheck = (world: World): StoredRecord =>
  JSON.parse(world.disk.cells('check').get(check)?.text ?? '{}') as StoredRecord;

const pendingIn = (world: World): Json[] =>
  (storedCheck(world).state as { readonly context: { readonly pending: Json[] } }).context.pending;

const outputs = (world: World): string[] => world.told.map(({ output }) => output);

/** Handlers that end when the test says so. */
const hanging = () => {
  const ends: (() => void)[] = [];
  let hangs = true;
  return {
    handle: () => (hangs ? new Promise<void>((resolve) => ends.push(resolve)) : undefined),
    endNext: () => ends.shift()?.(),
    /** For lives to come. */
    letGo: () => {
      hangs = false;
    },
  };
};

const store = async (
  world: World,
  ...records: readonly (readonly [kind: RecordKind, key: string, state: unknown])[]
) => {
  await new MemoryStore({ disk: world.disk }).commit(
    records.map(([kind, key, state]) => ({
      type: 'put',
      kind,
      key,
      record: {
        machine: kind,
        version: kind === 'check' ? 2 : 1,
        rev: 50,
        savedAtMs: 1,
        deadlines: [],
        state,
      },
    })),
  );
};

describe('deliveries that wait', () => {
  test('are records of their own; the record of the check holds its last event and their names', async (t) => {
    const handlers = hanging();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    for (const output of ['one', 'two', 'three']) await world.post({ output, status: 1 });
    assert.equal(keysOf(world).length, 3);
    assert.deepEqual(
      pendingIn(world).map(({ seq, event }) => [seq, event]),
      [
        [1, undefined],
        [2, undefined],
        [3, undefined],
      ],
    );
    const text = world.disk.cells('check').get(check)?.text ?? '';
    assert.ok(text.includes('"three"') && !text.includes('"one"') && !text.includes('"two"'));
    const waiting = pendingIn(world).reduce((sum, { bytes }) => sum + Number(bytes), 0);
    assert.ok(waiting > 0);
    assert.equal(world.backend.gauges()['deliveryBytesWaiting'], waiting);
    handlers.endNext();
    await world.quiet();
    assert.equal(keysOf(world).length, 2, 'what is finished is gone');
    handlers.endNext();
    await world.quiet();
    handlers.endNext();
    await world.quiet();
    assert.deepEqual([keysOf(world), pendingIn(world)], [[], []]);
    assert.equal(world.backend.gauges()['deliveryBytesWaiting'], 0);
    assert.deepEqual(outputs(world), ['one', 'two', 'three']);
  });

  test('count again after a restart, and are told in order', async (t) => {
    const handlers = hanging();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    for (const output of ['one', 'two', 'three']) await world.post({ output, status: 1 });
    const before = world.backend.gauges()['deliveryBytesWaiting'];
    await world.crash();
    await world.start();
    assert.equal(world.backend.gauges()['deliveryBytesWaiting'], before);
    handlers.letGo();
    await world.crash();
    await world.start();
    assert.deepEqual(outputs(world), ['one', 'one', 'one', 'two', 'three']);
    assert.deepEqual(keysOf(world), []);
  });

  test('an event that nobody is to be told of is written without one', async (t) => {
    const written: StoreWrite[] = [];
    const world = await World.open({
      realPipelines: true,
      store: (disk) => new MemoryStore({ disk, beforeCommit: (writes) => void written.push(...writes) }),
    });
    t.after(() => world.stop());
    await world.define('handlers', 'log', {
      metadata: { name: 'log', namespace: 'default' },
      type: 'pipe',
      command: 'false',
      filters: ['is_incident'],
    });
    await world.post({ handlers: ['log'], status: 0 });
    assert.ok(written.some(({ kind }) => kind === 'check'));
    assert.deepEqual(
      written.filter(({ kind }) => kind === 'delivery'),
      [],
    );
  });

  test('while all deliveries together take as much as they may, a check keeps one waiting', async (t) => {
    const handlers = hanging();
    const output = 'x'.repeat(1_000);
    const world = await World.open({ ...handlers, maxWaitingDeliveryBytes: 6_000 });
    t.after(() => world.stop());
    const post = (name: string) => world.post({ name, output, status: 1 });
    for (let n = 0; n < 20 && (world.backend.gauges()['deliveryBytesWaiting'] ?? 0) < 6_000; n += 1)
      await post('cpu');
    assert.equal(world.backend.gauges()['deliveriesDropped'], 0, 'up to there nothing is dropped');
    assert.ok(pendingIn(world).length > 3);
    for (let n = 0; n < 3; n += 1) await post('disk');
    assert.equal(keysOf(world).filter((key) => key.startsWith('default/web-01/disk/')).length, 2);
    await post('cpu');
    assert.equal(pendingIn(world).length, 2);
    assert.equal(keysOf(world).length, 4, 'what was dropped is gone from the store');
    assert.ok((world.backend.gauges()['deliveriesDropped'] ?? 0) > 1);
    assert.ok(world.warnings(/deliveries dropped/).length > 0);
    assert.ok((world.backend.gauges()['deliveryBytesWaiting'] ?? 0) < 6_000);
  });

  test('wait on while their records can not be read', async (t) => {
    let isAway = false;
    class Reading extends MemoryStore {
      override async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
        if (isAway && kind === 'delivery') throw new StoreError('unavailable', 'away');
        return super.get(kind, key);
      }
    }
    const handlers = hanging();
    const world = await World.open({ ...handlers, store: (disk) => new Reading({ disk }) });
    t.after(() => world.stop());
    for (const output of ['one', 'two']) await world.post({ output, status: 1 });
    isAway = true;
    handlers.endNext();
    await world.quiet();
    assert.deepEqual(outputs(world), ['one']);
    await world.advance(12_000);
    assert.deepEqual(outputs(world), ['one']);
    isAway = false;
    await world.advance(6_000);
    assert.deepEqual(outputs(world), ['one', 'two']);
  });
});

describe('what a crash leaves behind', () => {
  test('a delivery that its check does not name is cleared away, and nobody is told', async (t) => {
    const world = await World.open(hanging());
    t.after(() => world.stop());
    await world.post({ output: 'named', status: 1 });
    const [named = ''] = keysOf(world);
    const series = named.slice(0, named.lastIndexOf('-'));
    await world.crash();
    const event = world.event({ output: 'unnamed', status: 1 });
    await store(world, ['delivery', `${series}-7`, { event }]);
    await world.start();
    assert.deepEqual(keysOf(world), [named]);
    assert.deepEqual(outputs(world), ['named', 'named']);
    // Its number is given again.
    for (let n = 0; n < 6; n += 1) await world.post({ status: 1 });
    assert.ok(keysOf(world).includes(`${series}-7`));
  });

  test('a delivery whose check is gone is told without it, once', async (t) => {
    const handlers = hanging();
    handlers.letGo();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    await world.crash();
    await store(world, ['delivery', `${check}/1-1`, { event: world.event({ output: 'alone', status: 1 }) }]);
    await world.start();
    assert.deepEqual([outputs(world), keysOf(world)], [['alone'], []]);
  });

  test('a delivery of a check that was deleted and made again is told, too', async (t) => {
    const handlers = hanging();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    await world.post({ output: 'before', status: 1 });
    await world.drive(world.backend.deleteEvent('default', 'web-01', 'cpu'));
    await world.post({ output: 'after', status: 1 });
    await world.quiet();
    assert.equal(keysOf(world).length, 2, 'their records are not mixed up');
    handlers.letGo();
    await world.crash();
    await world.start();
    assert.deepEqual(outputs(world).slice(2).sort(), ['after', 'before']);
    assert.deepEqual(keysOf(world), []);
  });

  test('a named delivery without a record was finished', async (t) => {
    const handlers = hanging();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    for (const output of ['one', 'two']) await world.post({ output, status: 1 });
    await world.crash();
    world.disk.cells('delivery').delete(keysOf(world)[0] ?? '');
    handlers.letGo();
    await world.start();
    assert.deepEqual(outputs(world), ['one', 'two']);
    assert.deepEqual([pendingIn(world), keysOf(world)], [[], []]);
  });

  test('records that hold no delivery are reported and keep nothing from coming up', async (t) => {
    const handlers = hanging();
    handlers.letGo();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    await world.crash();
    await store(world, ['delivery', 'nonsense', {}], ['delivery', `${check}/1-1`, { event: 7 }]);
    await world.start();
    assert.equal(world.warnings(/cannot be read back/).length, 2);
    await world.post({ output: 'one', status: 1 });
    assert.deepEqual(outputs(world), ['one']);
  });

  test('a check of version 2 has its deliveries in records of their own before anybody is told, over a crash as well', async (t) => {
    const handlers = hanging();
    const world = await World.open(handlers);
    t.after(() => world.stop());
    for (const output of ['one', 'two']) await world.post({ output, status: 1 });
    const events = world.told.map(({ event }) => event);
    await world.crash();
    const { state } = storedCheck(world) as { state: { value: unknown; context: Json } };
    const { deliverySeries: _, ...context } = state.context;
    const pending = [1, 2].map((seq) => ({
      seq,
      event: { ...events[0], check: { ...events[0]?.check, output: `old ${seq}` } },
    }));
    for (const key of keysOf(world)) world.disk.cells('delivery').delete(key);
    await store(world, ['check', check, { ...state, context: { ...context, pending } }]);
    await world.start();
    assert.equal(storedCheck(world).version, 3);
    assert.deepEqual(keysOf(world), [`${check}/0-1`, `${check}/0-2`]);
    assert.ok(pendingIn(world).every((one) => !('event' in one)));
    handlers.letGo();
    await world.crash();
    await world.start();
    assert.deepEqual(outputs(world), ['one', 'old 1', 'old 1', 'old 2']);
  });

  test('of a batch that ended anywhere: what was acknowledged is told, and nothing is left over', async () => {
    const orders = ['first', undefined, 'last'] as const;
    const step = fc.record({
      output: fc.constantFrom('a', 'b'),
      end: fc.option(fc.record({ stage: fc.nat(2), isOdd: fc.boolean() }), { nil: undefined, freq: 3 }),
      ends: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10, size: 'max' }), async (steps) => {
        let end: { readonly stage: number; readonly isOdd: boolean } | undefined;
        class Ending extends MemoryStore {
          override async commit(writes: readonly StoreWrite[]): Promise<readonly WriteOutcome[]> {
            if (end === undefined) return super.commit(writes);
            const { stage, isOdd } = end;
            await super.commit(
              writes.filter(({ order }, at) => {
                const own = orders.indexOf(order);
                return own < stage || (own === stage && (at % 2 === 1) === isOdd);
              }),
            );
            // The process is killed before it hears of it.
            return new Promise(() => {});
          }
        }
        const handlers = hanging();
        const world = await World.open({ ...handlers, store: (disk) => new Ending({ disk }) });
        const acknowledged: string[] = [];
        for (const [n, { end: ending, ends }] of steps.entries()) {
          end = ending;
          const output = `run ${n}`;
          const event = world.event({ output, status: n % 3 }, {}, { id: idOf(n) });
          world.backend.acceptEvent(event, repeatKeyOf(event)).then(
            () => acknowledged.push(output),
            () => {},
          );
          await world.quiet();
          for (let count = 0; count < ends; count += 1) {
            handlers.endNext();
            await world.quiet();
          }
          if (ending === undefined) continue;
          await world.crash();
          end = undefined;
          await world.start();
          // Its sender was not answered: it sends the same event again.
          await world.drive(world.backend.acceptEvent(event, repeatKeyOf(event)));
          acknowledged.push(output);
        }
        handlers.letGo();
        await world.crash();
        await world.start();
        for (const output of acknowledged)
          assert.ok(outputs(world).includes(output), `${output} was acknowledged and nobody told`);
        assert.deepEqual(keysOf(world), []);
        await world.stop();
      }),
      { numRuns: 40 },
    );
  });
});
